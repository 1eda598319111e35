package dev.sash.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.address.IpAddress;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who may do what only operators may. If there is a token: whoever has it. If there is none:
 * whoever asks from this machine, but neither through a proxy, behind which everybody seems to be
 * here, nor with a browser, which asks for whoever wrote the page.
 */
final class AdminGuard {
  private static final String SCHEME = "Bearer ";
  private static final List<String> MARKS_OF_OTHERS =
      List.of("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "Origin", "Sec-Fetch-Site");

  private final byte @Nullable [] tokenHash;

  AdminGuard(@Nullable String token) {
    this.tokenHash = token == null ? null : sha256(token);
  }

  /** Throws a {@link Refusal} at everybody else. */
  void admit(Exchange exchange) {
    HttpServerRequest request = exchange.request();
    if (tokenHash == null) {
      if (!isFromHere(request)) {
        throw new Refusal(
            403,
            "only from the server's own machine, without proxy or browser; or set SASH_ADMIN_TOKEN"
                + " and send it as a bearer token");
      }
      return;
    }
    String given = request.getHeader(HttpHeaders.AUTHORIZATION);
    boolean matches =
        given != null
            && given.startsWith(SCHEME)
            // Of hashes, so that the time tells nothing about the token's length either.
            && MessageDigest.isEqual(tokenHash, sha256(given.substring(SCHEME.length())));
    if (!matches) {
      exchange.header("WWW-Authenticate", "Bearer");
      throw new Refusal(401, "the admin token must be sent: Authorization: Bearer <token>");
    }
  }

  private static boolean isFromHere(HttpServerRequest request) {
    for (String mark : MARKS_OF_OTHERS) {
      if (request.headers().contains(mark)) {
        return false;
      }
    }
    return isLoopback(request.remoteAddress().hostAddress());
  }

  private static boolean isLoopback(@Nullable String address) {
    if (address == null) {
      return false;
    }
    try {
      // An address, so that no name server is asked.
      return InetAddress.getByName(IpAddress.parse(address).toString()).isLoopbackAddress();
    } catch (IllegalArgumentException | UnknownHostException e) {
      return false;
    }
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
