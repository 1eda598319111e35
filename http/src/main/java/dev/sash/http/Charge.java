package dev.sash.http;

import dev.sash.RateLimiter;
import dev.sash.key.Keys;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Charges a request to a policy: the limiter, the key and the number of permits. Immutable; every
 * method returns a new charge.
 *
 * <pre>{@code
 * Charge.of(logins, KeyExtractor.clientAddress()).onlyIfStatus(status -> status == 401)
 * Charge.of(exports, KeyExtractor.principal()).cost(RequestCost.fixed(10))
 * }</pre>
 */
public final class Charge {
  static final long MAX_PERMITS = 1_000_000_000L;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final int MAX_WAITING = 1_000_000;

  static final PendingCharge.Condition FAILED_LOGIN = (status, loginFailed) -> loginFailed;

  private final RateLimiter limiter;
  private final KeyExtractor key;
  private final boolean skippedWithoutKey;
  private final RequestCost cost;
  private final @Nullable String unit;
  private final PendingCharge.@Nullable Condition kept;
  private final BooleanSupplier shadow;
  private final PendingCharge.@Nullable MaxWait maxWait;

  private Charge(
      RateLimiter limiter,
      KeyExtractor key,
      boolean skippedWithoutKey,
      RequestCost cost,
      @Nullable String unit,
      PendingCharge.@Nullable Condition kept,
      BooleanSupplier shadow,
      PendingCharge.@Nullable MaxWait maxWait) {
    this.limiter = limiter;
    this.key = key;
    this.skippedWithoutKey = skippedWithoutKey;
    this.cost = cost;
    this.unit = unit;
    this.kept = kept;
    this.shadow = shadow;
    this.maxWait = maxWait;
  }

  /**
   * Returns a charge of one permit for each request. If a request has no such key, the client's
   * address is the key: a limit cannot be avoided by omitting the key.
   *
   * @param limiter decides
   * @param key finds the key to charge
   * @return the charge
   */
  public static Charge of(RateLimiter limiter, KeyExtractor key) {
    return new Charge(
        Objects.requireNonNull(limiter, "limiter must not be null"),
        Objects.requireNonNull(key, "key must not be null"),
        false,
        RequestCost.fixed(1),
        null,
        null,
        () -> false,
        null);
  }

  /**
   * Returns this charge for requests that have such a key only: for a limit in addition to another
   * one that applies to every request.
   *
   * @return the new charge
   */
  public Charge skippedWithoutKey() {
    return new Charge(limiter, key, true, cost, unit, kept, shadow, maxWait);
  }

  /**
   * Returns this charge with another cost.
   *
   * @param cost returns the number of permits
   * @return the new charge
   */
  public Charge cost(RequestCost cost) {
    Objects.requireNonNull(cost, "cost must not be null");
    return new Charge(limiter, key, skippedWithoutKey, cost, unit, kept, shadow, maxWait);
  }

  /**
   * Returns this charge with a unit, which {@code RateLimit-Policy} shows: what a permit is, if not
   * a request.
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
    return new Charge(limiter, key, skippedWithoutKey, cost, unit, kept, shadow, maxWait);
  }

  /**
   * Returns this charge for some statuses only: {@code onlyIfStatus(status -> status == 401)}
   * counts failed logins. The permits are charged when the request arrives, so that parallel
   * requests cannot exceed the limit, and refunded after a response with another status.
   *
   * @param statuses returns whether a status keeps the charge
   * @return the new charge
   */
  public Charge onlyIfStatus(IntPredicate statuses) {
    Objects.requireNonNull(statuses, "statuses must not be null");
    return new Charge(
        limiter,
        key,
        skippedWithoutKey,
        cost,
        unit,
        (status, failedLogin) -> statuses.test(status),
        shadow,
        maxWait);
  }

  /**
   * Returns this charge for requests only whose login fails, whatever their status: many
   * applications answer a wrong password with a redirect. The permits are charged when the request
   * arrives, and refunded after the response unless {@link Verdict#loginFailed} was called.
   *
   * @return the new charge
   */
  public Charge onlyIfLoginFailed() {
    return new Charge(limiter, key, skippedWithoutKey, cost, unit, FAILED_LOGIN, shadow, maxWait);
  }

  /**
   * Returns this charge such that it may only be tried out: while the condition is true, the policy
   * counts requests and what it would deny, but denies nothing, and responses do not show it.
   *
   * @param condition evaluated for each request; must be fast and thread-safe
   * @return the new charge
   */
  public Charge shadowIf(BooleanSupplier condition) {
    Objects.requireNonNull(condition, "condition must not be null");
    return new Charge(limiter, key, skippedWithoutKey, cost, unit, kept, condition, maxWait);
  }

  /**
   * Short for {@link #maxWait(Duration, int)} with at most 1,000 waiting requests.
   *
   * @param longest the longest time for a request to wait: more than 0, at most 10 seconds
   * @return the new charge
   */
  public Charge maxWait(Duration longest) {
    return maxWait(longest, 1_000);
  }

  /**
   * Returns this charge such that a request over the limit is not denied at once, but waits for
   * permits if they become available soon enough. No thread waits.
   *
   * <p>Requests that wait for one key under this policy are admitted in order of arrival within
   * this process, and later ones do not overtake them. A request is denied as soon as it is known
   * that it cannot be admitted in time. Nothing is charged to any policy while it waits: if several
   * policies deny it, it waits until all of them have room, and no longer than each of them allows.
   *
   * <p>A request is denied at once if another policy that is not to be waited for denies it, if it
   * can never be admitted, if {@code maxWaiting} requests wait already, or if a {@linkplain
   * dev.sash.FailureRule failure rule} denies it because the store is unavailable.
   *
   * @param longest the longest time for a request to wait: more than 0, at most 10 seconds
   * @param maxWaiting the number of requests that may wait for permits of this policy at the same
   *     time, for all keys together: 1 to 1,000,000. Holds for each {@link HttpLimiter} and those
   *     that it was {@linkplain HttpLimiter#withCharges divided} into; further requests are denied
   * @return the new charge
   */
  public Charge maxWait(Duration longest, int maxWaiting) {
    Objects.requireNonNull(longest, "longest must not be null");
    if (longest.isNegative() || longest.isZero() || longest.compareTo(LONGEST_WAIT) > 0) {
      throw new IllegalArgumentException(
          "maxWait must be more than PT0S and at most " + LONGEST_WAIT + ", was " + longest);
    }
    if (maxWaiting < 1 || maxWaiting > MAX_WAITING) {
      throw new IllegalArgumentException(
          "maxWaiting must be between 1 and " + MAX_WAITING + ", was " + maxWaiting);
    }
    return new Charge(
        limiter,
        key,
        skippedWithoutKey,
        cost,
        unit,
        kept,
        shadow,
        new PendingCharge.MaxWait(Math.max(1, longest.toNanos() / 1_000), maxWaiting));
  }

  boolean isForFailedLogins() {
    return FAILED_LOGIN.equals(kept);
  }

  /**
   * Returns the name of the policy that is charged.
   *
   * @return the policy's name
   */
  public String policy() {
    return limiter.policy().name();
  }

  /**
   * Returns whether the key depends on the authenticated user. Such a charge is made after
   * authentication.
   *
   * @return see {@link KeyExtractor#usesPrincipal}
   */
  public boolean usesPrincipal() {
    return key.usesPrincipal();
  }

  /** Returns the charge for a request; null if the request is not charged. */
  @Nullable PendingCharge pendingFor(IncomingRequest request) {
    String found = key.keyOf(request);
    if (found == null || found.isEmpty()) {
      if (skippedWithoutKey) {
        return null;
      }
      found = new Extractors.ClientAddress(32, 64).keyOf(request);
    }
    long permits = cost.permitsOf(request);
    checkPermits(permits);
    return new PendingCharge(
        limiter.resolve(Keys.fitting(found)), permits, unit, kept, !shadow.getAsBoolean(), maxWait);
  }

  static void checkPermits(long permits) {
    if (permits < 0 || permits > MAX_PERMITS) {
      throw new IllegalArgumentException(
          "permits must be between 0 and " + MAX_PERMITS + ", was " + permits);
    }
  }
}
