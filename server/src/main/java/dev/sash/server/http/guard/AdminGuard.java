package dev.sash.server.http.guard;

import dev.sash.server.access.OperatorTokens;
import dev.sash.server.access.Right;
import dev.sash.server.http.exchange.Exchange;
import dev.sash.server.http.exchange.Refusal;
import dev.sash.server.net.PeerAddress;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;

/**
 * Decides who may do what only operators may. If a token is configured, the caller must send it.
 * Otherwise the caller must be on this machine, and use neither a proxy, behind which every client
 * seems to be here, nor a browser, which sends what a web page tells it to.
 */
public final class AdminGuard {
  private static final String SCHEME = "Bearer ";
  private static final List<String> MARKS_OF_OTHERS =
      List.of("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "Origin", "Sec-Fetch-Site");

  private final OperatorTokens tokens;

  /** Creates a guard. */
  public AdminGuard(OperatorTokens tokens) {
    this.tokens = tokens;
  }

  /** Throws a {@link Refusal} unless the caller is an administrator. */
  public void admit(Exchange exchange) {
    admit(exchange, Right.ADMIN);
  }

  /** Throws a {@link Refusal} unless the caller has the right. */
  public void admit(Exchange exchange, Right right) {
    HttpServerRequest request = exchange.request();
    boolean refund = right == Right.REFUND;
    if (!tokens.isSet(right)) {
      if (!isFromHere(request)) {
        throw new Refusal(
            403,
            "only from the server's own machine, without proxy or browser; or set "
                + (refund ? OperatorTokens.REFUND_VARIABLE : OperatorTokens.ADMIN_VARIABLE)
                + " and send it as a bearer token");
      }
      return;
    }
    String given = request.getHeader(HttpHeaders.AUTHORIZATION);
    boolean isBearer = given != null && given.startsWith(SCHEME);
    if (!tokens.grants(isBearer ? given.substring(SCHEME.length()) : null, right)) {
      exchange.header("WWW-Authenticate", "Bearer");
      throw new Refusal(
          401,
          (refund ? "a refund or admin token" : "the admin token")
              + " must be sent: Authorization: Bearer <token>");
    }
  }

  private static boolean isFromHere(HttpServerRequest request) {
    for (String mark : MARKS_OF_OTHERS) {
      if (request.headers().contains(mark)) {
        return false;
      }
    }
    return PeerAddress.of(request.remoteAddress().hostAddress()).isLoopback();
  }
}
