package dev.sash.http;

import dev.sash.RateLimiter;
import dev.sash.key.Keys;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One policy on a request: which limiter is asked, for whom, and for how many permits. Immutable;
 * every method returns a new charge.
 *
 * <pre>{@code
 * Charge.of(logins, KeyExtractor.clientAddress()).onlyIfStatus(status -> status == 401)
 * Charge.of(exports, KeyExtractor.principal()).cost(RequestCost.fixed(10))
 * }</pre>
 */
public final class Charge {
  static final long MAX_PERMITS = 1_000_000_000L;

  private final RateLimiter limiter;
  private final KeyExtractor key;
  private final boolean skippedWithoutKey;
  private final RequestCost cost;
  private final @Nullable String unit;
  private final @Nullable IntPredicate statuses;

  private Charge(
      RateLimiter limiter,
      KeyExtractor key,
      boolean skippedWithoutKey,
      RequestCost cost,
      @Nullable String unit,
      @Nullable IntPredicate statuses) {
    this.limiter = limiter;
    this.key = key;
    this.skippedWithoutKey = skippedWithoutKey;
    this.cost = cost;
    this.unit = unit;
    this.statuses = statuses;
  }

  /**
   * One permit for each request. Where the request has no such key, the client's address is the
   * key: nobody gets around a limit by leaving the key away.
   *
   * @param limiter is asked
   * @param key for whom
   * @return the charge
   */
  public static Charge of(RateLimiter limiter, KeyExtractor key) {
    return new Charge(
        Objects.requireNonNull(limiter, "limiter must not be null"),
        Objects.requireNonNull(key, "key must not be null"),
        false,
        RequestCost.fixed(1),
        null,
        null);
  }

  /**
   * Does not charge requests that have no such key. For a limit beside another one that holds for
   * everybody.
   *
   * @return the new charge
   */
  public Charge skippedWithoutKey() {
    return new Charge(limiter, key, true, cost, unit, statuses);
  }

  /**
   * Charges as many permits as a request costs.
   *
   * @param cost how many
   * @return the new charge
   */
  public Charge cost(RequestCost cost) {
    Objects.requireNonNull(cost, "cost must not be null");
    return new Charge(limiter, key, skippedWithoutKey, cost, unit, statuses);
  }

  /**
   * Says in {@code RateLimit-Policy} what a permit is, if it is not a request.
   *
   * @param unit such as {@code content-bytes}: 1 to 64 lower-case letters, digits and hyphens
   * @return the new charge
   */
  public Charge unit(String unit) {
    if (!Objects.requireNonNull(unit, "unit must not be null").matches("[a-z][a-z0-9-]{0,63}")) {
      throw new IllegalArgumentException(
          "unit must be 1 to 64 lower-case letters, digits and hyphens, the first a letter, was '"
              + unit
              + "'");
    }
    return new Charge(limiter, key, skippedWithoutKey, cost, unit, statuses);
  }

  /**
   * Keeps the charge only if the response has such a status, and otherwise gives it back when the
   * response is done: {@code onlyIfStatus(status -> status == 401)} counts failed logins. Until
   * then it is charged, so that a crowd of parallel requests gets no further than the limit.
   *
   * @param statuses tells whether the status is charged
   * @return the new charge
   */
  public Charge onlyIfStatus(IntPredicate statuses) {
    Objects.requireNonNull(statuses, "statuses must not be null");
    return new Charge(limiter, key, skippedWithoutKey, cost, unit, statuses);
  }

  /** What this charge asks for a request; null if it does not concern it. */
  @Nullable Asking askingFor(IncomingRequest request) {
    String found = key.keyOf(request);
    if (found == null || found.isEmpty()) {
      if (skippedWithoutKey) {
        return null;
      }
      found = new ClientAddressKey(32, 64).keyOf(request);
    }
    long permits = cost.permitsOf(request);
    checkPermits(permits);
    String fitting = Keys.fitting(found);
    var limits = limiter.policy().limitsFor(fitting);
    return new Asking(limiter, limits, fitting, permits, unit, statuses);
  }

  static void checkPermits(long permits) {
    if (permits < 0 || permits > MAX_PERMITS) {
      throw new IllegalArgumentException(
          "permits must be between 0 and " + MAX_PERMITS + ", was " + permits);
    }
  }
}
