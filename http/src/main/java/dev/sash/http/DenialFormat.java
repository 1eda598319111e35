package dev.sash.http;

/**
 * Writes the status and the body of the response to a denied request. Must be fast and thread-safe.
 *
 * <pre>{@code
 * HttpLimiter.builder().denials(
 *     denial -> new DenialResponse(429, "application/json",
 *         "{\"error\":\"slow down\",\"seconds\":" + denial.retryAfterSeconds() + "}"))
 * }</pre>
 */
@FunctionalInterface
public interface DenialFormat {
  /**
   * Returns the response.
   *
   * @param denial why the request is denied
   * @return the response; the fields that report the limits, {@code Retry-After} and {@code
   *     Cache-Control: no-store} are added to it
   */
  DenialResponse responseTo(Denial denial);
}
