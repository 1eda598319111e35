package dev.sash.http;

import dev.sash.http.internal.HttpSyntax;
import java.util.Objects;

/** Returns the number of permits that a request costs. Stateless and thread-safe. */
@FunctionalInterface
public interface RequestCost {
  /**
   * Returns the cost of a request.
   *
   * @param request the request
   * @return 0 to 10⁹; 0 only peeks
   */
  long permitsOf(IncomingRequest request);

  /**
   * Returns a cost that is the same for every request.
   *
   * @param permits 0 to 10⁹
   * @return the cost
   */
  static RequestCost fixed(long permits) {
    Charge.checkPermits(permits);
    return request -> permits;
  }

  /**
   * Returns a cost that a trusted proxy sets in a header field. The proxy must replace the value
   * that clients send.
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
