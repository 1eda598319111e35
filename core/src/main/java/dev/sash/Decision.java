package dev.sash;

import dev.sash.internal.Bounds;
import dev.sash.internal.DecisionMaker;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The result of one request: whether it was admitted, what is left, and when to retry. Immutable.
 *
 * <p>A worked example, for a sliding log of 10 permits per minute. At 12:00:00 a key spends 4, at
 * 12:00:20 it spends 5, and at 12:00:30 it asks for 3: denied, {@code limit} 10, {@code used} 9,
 * {@code remaining} 1, {@code retryAfter} 30 s (at 12:01:00 the 4 leave the window and 3 fit),
 * {@code resetAfter} 50 s (at 12:01:20 nothing is charged any more).
 *
 * <p>Where a policy has several limits, {@link #decidedBy} is the one that decided: when denied the
 * one with the longest {@code retryAfter}, when allowed the one with the fewest permits left.
 * {@code limit} and {@code used} are that one's; {@code remaining} and {@code resetAfter} hold for
 * the key under all of them.
 */
public final class Decision {
  /**
   * The {@link #retryAfter} of a request that can never be admitted, because it asks for more
   * permits than the limit admits at once.
   */
  public static final Duration NEVER = ChronoUnit.FOREVER.getDuration();

  private static final long NEVER_MICROS = Long.MAX_VALUE;

  /** Where a decision came from, and with it, where an admitted request was charged. */
  public enum Source {
    /** The key's own state in the store. */
    STORE,
    /**
     * The state that keys without room in the store share; see {@link
     * dev.sash.memory.InMemoryStore.Builder#maxKeys}.
     */
    OVERFLOW,
    /** A recent denial by a remote store that still holds, cached in this process. */
    DENY_CACHE,
    /**
     * This process alone, by {@link FailureRule#LOCAL}: the remote store was unavailable. Charged
     * in this process, not in the store.
     */
    LOCAL,
    /**
     * {@link FailureRule#OPEN} or {@link FailureRule#CLOSED}: the remote store was unavailable, so
     * the counts are not known. Charged nowhere.
     */
    FAILURE_RULE
  }

  static {
    DecisionMaker.install(Decision::new);
  }

  // Ordered and sized for 48 bytes: every permit count is at most 2 * 10^9.
  /** 0 if and only if allowed. */
  private final long retryAfterMicros;

  private final long resetAfterMicros;
  private final int used;
  private final int remaining;
  private final Limit decidedBy;
  private final Source source;
  private final List<LimitUsage> usages;

  private Decision(
      Limit decidedBy,
      long used,
      long remaining,
      long retryAfterMicros,
      long resetAfterMicros,
      Source source,
      List<LimitUsage> usages) {
    this.decidedBy = decidedBy;
    this.used = (int) used;
    this.remaining = (int) remaining;
    this.retryAfterMicros = retryAfterMicros;
    this.resetAfterMicros = resetAfterMicros;
    this.source = source;
    this.usages = usages;
  }

  /**
   * Returns whether the request was admitted and its permits charged.
   *
   * @return true if admitted
   */
  public boolean allowed() {
    return retryAfterMicros == 0;
  }

  /**
   * Returns the most permits that fit under the {@linkplain #decidedBy deciding} limit: its permits
   * per window, or the capacity of a token bucket.
   *
   * @return 1 to 10⁹
   */
  public long limit() {
    return decidedBy.capacity();
  }

  /**
   * Returns the permits charged to the {@linkplain #decidedBy deciding} limit after this decision:
   * exact for the sliding log, the weighted estimate for the sliding counter, the count of the
   * window for the fixed window, what is missing in a token bucket, rounded up. More than {@link
   * #limit} only if the limit was lowered or exceeded by a {@linkplain RateLimiter#charge charge}.
   *
   * @return 0 or more
   */
  public long used() {
    return used;
  }

  /**
   * Returns the permits that could be spent right now, after this decision, under every limit.
   *
   * @return 0 or more
   */
  public long remaining() {
    return remaining;
  }

  /**
   * Returns the least time after which the same request is admitted if nobody else spends
   * meanwhile: it is admitted then, and denied a microsecond earlier.
   *
   * @return zero when allowed, {@link #NEVER} when the request can never be admitted
   */
  public Duration retryAfter() {
    return retryAfterMicros == NEVER_MICROS ? NEVER : ofMicros(retryAfterMicros);
  }

  /**
   * Returns {@link #retryAfter} in microseconds.
   *
   * @return zero when allowed, {@link Long#MAX_VALUE} when the request can never be admitted
   */
  public long retryAfterMicros() {
    return retryAfterMicros;
  }

  /**
   * Returns whether the request can never be admitted, however long it waits.
   *
   * @return true if {@link #retryAfter} is {@link #NEVER}
   */
  public boolean neverAllowed() {
    return retryAfterMicros == NEVER_MICROS;
  }

  /**
   * Returns the least time after which nothing is charged to the key any more, under any limit, if
   * nobody spends meanwhile.
   *
   * @return zero when nothing is charged now
   */
  public Duration resetAfter() {
    return ofMicros(resetAfterMicros);
  }

  /**
   * Returns {@link #resetAfter} in microseconds.
   *
   * @return zero when nothing is charged now
   */
  public long resetAfterMicros() {
    return resetAfterMicros;
  }

  /**
   * Returns the limit that decided.
   *
   * @return one of the policy's limits
   */
  public Limit decidedBy() {
    return decidedBy;
  }

  /**
   * Returns where the decision came from. Together with the key and the permits it is the receipt
   * that {@link RateLimiter#refund(String, long, Decision)} needs to find what was charged.
   *
   * @return the source
   */
  public Source source() {
    return source;
  }

  /**
   * Returns the usage of each limit, in the order of the limits.
   *
   * @return unmodifiable; empty unless the decision comes from {@link RateLimiter#inspect}
   */
  public List<LimitUsage> usages() {
    return usages;
  }

  /**
   * Returns a denial with the state of this decision, for callers that keep requests in order and
   * do not admit one before another.
   *
   * @param retryMicros the least time until the request may be admitted, in microseconds, more than
   *     0
   * @return the denial
   */
  public Decision deniedFor(long retryMicros) {
    Bounds.check("retryMicros", 1, Long.MAX_VALUE, retryMicros);
    return new Decision(
        decidedBy,
        used,
        remaining,
        retryMicros,
        Math.max(resetAfterMicros, retryMicros),
        source,
        List.of());
  }

  private static Duration ofMicros(long micros) {
    return micros == 0
        ? Duration.ZERO
        : Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1_000);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Decision that
        && used == that.used
        && remaining == that.remaining
        && retryAfterMicros == that.retryAfterMicros
        && resetAfterMicros == that.resetAfterMicros
        && source == that.source
        && decidedBy.equals(that.decidedBy)
        && usages.equals(that.usages);
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        decidedBy, used, remaining, retryAfterMicros, resetAfterMicros, source, usages);
  }

  @Override
  public String toString() {
    return (allowed() ? "allowed" : "denied")
        + " by "
        + decidedBy
        + ": used "
        + used
        + ", remaining "
        + remaining
        + ", retry after "
        + (neverAllowed() ? "never" : retryAfter())
        + ", reset after "
        + resetAfter()
        + ", from "
        + source;
  }
}
