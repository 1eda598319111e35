package dev.sash.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.cli.Arguments.BadArgumentsException;
import dev.sash.server.access.OperatorTokens;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URLConnection;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A running service that a command asks. */
final class Service {
  static final String FLAG = "--server";

  private static final String DEFAULT = "http://127.0.0.1:8080";
  private static final String TOKEN = OperatorTokens.ADMIN_VARIABLE;
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int MOST_BYTES = 1 << 20;

  /**
   * What the service answered.
   *
   * @param status the status
   * @param body the object in the body; empty if there is none
   */
  record Answer(int status, JsonObject body) {
    String detail() {
      return body.getValue("detail") instanceof String detail ? detail : "";
    }
  }

  private final String url;
  private final @Nullable String token;

  private Service(String url, @Nullable String token) {
    this.url = url;
    this.token = token;
  }

  static Service of(Arguments arguments) {
    return new Service(arguments.text(FLAG, DEFAULT).replaceFirst("/+$", ""), null);
  }

  /** With the admin token of the environment, if there is one. */
  static Service forOperators(Arguments arguments, Map<String, String> environment) {
    return new Service(of(arguments).url, token(environment));
  }

  private static @Nullable String token(Map<String, String> environment) {
    String file = environment.get(TOKEN + "_FILE");
    if (file == null) {
      return environment.get(TOKEN);
    }
    try {
      return Files.readString(Path.of(file), UTF_8).strip();
    } catch (IOException | RuntimeException e) {
      throw new BadArgumentsException(TOKEN + "_FILE cannot be read: " + e.getMessage());
    }
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  /**
   * Sends a request.
   *
   * @param path begins with a slash
   * @throws IOException if there is no answer; the message says from where
   */
  Answer get(String path) throws IOException {
    try {
      URLConnection opened = URI.create(url + path).toURL().openConnection();
      if (!(opened instanceof HttpURLConnection connection)) {
        throw new MalformedURLException("not HTTP");
      }
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      connection.setInstanceFollowRedirects(false); // the token is for this server
      if (token != null) {
        connection.setRequestProperty("Authorization", "Bearer " + token);
      }
      int status = connection.getResponseCode();
      try (InputStream in =
          status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
        return new Answer(status, body(in));
      }
    } catch (IllegalArgumentException | MalformedURLException e) {
      throw new BadArgumentsException(FLAG + " must be a URL, was '" + url + "'");
    } catch (IOException e) {
      throw new IOException(url + " does not answer: " + e.getMessage(), e);
    }
  }

  /** Returns an empty object for anything else: what answered is no Sash. */
  private static JsonObject body(@Nullable InputStream in) throws IOException {
    if (in == null) {
      return new JsonObject();
    }
    try {
      return new JsonObject(new String(in.readNBytes(MOST_BYTES), UTF_8));
    } catch (DecodeException e) {
      return new JsonObject();
    }
  }
}
