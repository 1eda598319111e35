package dev.sash.http;

import java.util.Objects;

/** How many permits a request asks for. Stateless and thread-safe. */
@FunctionalInterface
public interface RequestCost {
  /**
   * The permits.
   *
   * @param request the request
   * @return 0 to 10⁹; 0 only looks
   */
  long permitsOf(IncomingRequest request);

  /**
   * The same for every request.
   *
   * @param permits 0 to 10⁹
   * @return the cost
   */
  static RequestCost fixed(long permits) {
    Charge.checkPermits(permits);
    return request -> permits;
  }

  /**
   * What a trusted proxy says in a header field. The proxy must replace what clients send under
   * that name.
   *
   * @param field the field's name
   * @param otherwise the permits of requests that do not come from a trusted proxy, or whose field
   *     is missing, repeated or not a number from 0 to 10⁹
   * @return the cost
   */
  static RequestCost trustedHeader(String field, long otherwise) {
    HttpSyntax.checkedToken("field", Objects.requireNonNull(field, "field must not be null"));
    Charge.checkPermits(otherwise);
    return request -> {
      var lines = request.view().headers(field);
      if (lines.size() != 1 || !request.fromTrustedProxy()) {
        return otherwise;
      }
      long permits = HttpSyntax.number(lines.get(0).strip());
      return permits < 0 || permits > Charge.MAX_PERMITS ? otherwise : permits;
    };
  }
}
