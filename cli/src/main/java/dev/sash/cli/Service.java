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
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A running service that a command asks. */
final class Service {
  static final String FLAG = "--server";

  private static final String DEFAULT = "http://127.0.0.1:8080";
  private static final int TIMEOUT_MILLIS = 10_000;
  private static final int MOST_BYTES = 64 << 20;

  /**
   * What the service answered.
   *
   * @param status the status
   * @param body the object in the body; empty if there is none
   */
  record Answer(int status, JsonObject body) {
    /** Returns what went wrong, for an error message. */
    String problem() {
      String detail = body.getValue("detail") instanceof String text ? text : "";
      return "sash: the server answered " + status + ": " + detail;
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
    try {
      return OperatorTokens.adminTokenOf(environment);
    } catch (IllegalArgumentException e) {
      throw new BadArgumentsException(String.valueOf(e.getMessage()));
    }
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  /** Sends a request without a body: see {@link #send}. */
  Answer get(String path) throws IOException {
    return send("GET", path, null);
  }

  /**
   * Sends a request. Redirections are not followed: the token is for this server.
   *
   * @param path begins with a slash
   * @param body null for none
   * @throws IOException if there is no answer; the message says from where
   */
  Answer send(String method, String path, @Nullable JsonObject body) throws IOException {
    try {
      URLConnection opened = URI.create(url + path).toURL().openConnection();
      if (!(opened instanceof HttpURLConnection connection)) {
        throw new MalformedURLException("not HTTP");
      }
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      connection.setInstanceFollowRedirects(false);
      connection.setRequestMethod(method);
      if (token != null) {
        connection.setRequestProperty("Authorization", "Bearer " + token);
      }
      if (body != null) {
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", "application/json");
        connection.getOutputStream().write(body.encode().getBytes(UTF_8));
      }
      int status = connection.getResponseCode();
      try (InputStream in =
          status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
        return new Answer(status, body(in));
      }
    } catch (IllegalArgumentException | MalformedURLException e) {
      throw new BadArgumentsException(FLAG + " must be a URL, was '" + url + "'");
    } catch (IOException e) {
      throw new IOException("sash: " + url + " does not answer: " + e.getMessage(), e);
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
