package dev.sash.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.sash.cli.Arguments.BadArgumentsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URLConnection;
import java.net.URLEncoder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Asks a server for permits: for shells and scripts. */
final class Check {
  private static final String SERVER = "--server";
  private static final String PERMITS = "--permits";
  private static final List<String> FLAGS = List.of(SERVER, PERMITS);
  private static final int TIMEOUT_MILLIS = 5_000;

  static final String USAGE =
      """
      usage: sash check POLICY KEY [flags]     asks a server for permits

        --permits N      how many (what the policy says)
        --server URL     where the server is (http://127.0.0.1:8080)

      Exit codes: 0 allowed, 1 denied, 2 neither. Each flag is also an environment variable:
      --server is SASH_SERVER.
      """;

  private Check() {}

  static int run(
      List<String> words, Map<String, String> environment, PrintStream out, PrintStream err) {
    Arguments arguments = Arguments.parse("check", FLAGS, words, environment);
    if (arguments.others().size() != 2) {
      throw new BadArgumentsException(
          "check needs a policy and a key, got " + arguments.others().size() + " words");
    }
    String server = arguments.text(SERVER, "http://127.0.0.1:8080");
    String permits = arguments.text(PERMITS);
    String uri =
        server.replaceFirst("/+$", "")
            + "/v1/check/"
            + encoded(arguments.others().get(0))
            + "/"
            + encoded(arguments.others().get(1))
            + (permits == null ? "" : "?permits=" + encoded(permits));
    try {
      return ask(uri, out, err);
    } catch (IllegalArgumentException | MalformedURLException e) {
      throw new BadArgumentsException(SERVER + " must be a URL, was '" + server + "'");
    } catch (IOException e) {
      err.println("sash: " + server + " does not answer: " + e.getMessage());
      return Main.BAD_ARGUMENTS;
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  private static int ask(String uri, PrintStream out, PrintStream err) throws IOException {
    URLConnection opened = URI.create(uri).toURL().openConnection();
    if (!(opened instanceof HttpURLConnection connection)) {
      throw new MalformedURLException("not HTTP");
    }
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    int status = connection.getResponseCode();
    Map<String, String> answer = body(connection, status);
    if (status == 200 && answer.containsKey("remaining")) {
      out.println(
          "allowed: "
              + answer.get("remaining")
              + " of "
              + answer.get("limit")
              + " left, all of them in "
              + answer.get("ttl")
              + " s");
      return Main.DONE;
    }
    if (status == 429 && answer.containsKey("retryAfterMs")) {
      out.println("denied: " + retry(answer.get("retryAfterMs")));
      return Main.FAILED;
    }
    err.println("sash: the server answered " + status + ": " + answer.getOrDefault("detail", ""));
    return Main.BAD_ARGUMENTS;
  }

  private static String retry(String millis) {
    return millis.equals("null")
        ? "more than the limit ever allows"
        : "try again in " + Times.text(Long.parseLong(millis));
  }

  /** The fields of a flat object; none of anything else. */
  private static Map<String, String> body(HttpURLConnection connection, int status)
      throws IOException {
    Map<String, String> fields = new HashMap<>();
    try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream();
        JsonParser parser = new JsonFactory().createParser(in)) {
      while (parser.nextToken() != null) {
        JsonToken token = parser.currentToken();
        if (token.isScalarValue() && parser.currentName() != null) {
          fields.put(parser.currentName(), parser.getText());
        }
      }
    } catch (JsonProcessingException e) {
      return Map.of(); // whatever answered is no Sash
    }
    return fields;
  }
}
