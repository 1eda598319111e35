package dev.sash;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one request: whether it was admitted, what is left, and when to come back.
 * Immutable.
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
   * The {@link #retryAfter} of a request that no waiting will help: it asks for more permits than
   * the limit admits at once.
   */
  public static final Duration NEVER = ChronoUnit.FOREVER.getDuration();

  private static final long NEVER_MICROS = Long.MAX_VALUE;

  /** Where an answer came from. */
  public enum Source {
    /** The key's own state in the store. */
    STORE,
    /**
     * The state that keys without room in the store share; see {@link
     * dev.sash.memory.InMemoryStore.Builder#maxKeys}.
     */
    OVERFLOW,
    /**
     * A denial that a remote store gave a moment ago and that still holds: remembered in this
     * process, so that it did not have to be asked again.
     */
    DENY_CACHE,
    /** This process alone, by {@link FailureRule#LOCAL}: the remote store did not answer. */
    LOCAL,
    /**
     * {@link FailureRule#OPEN} or {@link FailureRule#CLOSED}: the remote store did not answer, so
     * the counts are not known.
     */
    FAILURE_RULE
  }

  // Ordered and sized for 48 bytes: every permit count is at most 2 * 10^9.
  private final long retryAfterMicros;
  private final long resetAfterMicros;
  private final int used;
  private final int remaining;
  private final Limit decidedBy;
  private final Source source;
  private final boolean allowed;

  private Decision(
      boolean allowed,
      Limit decidedBy,
      long used,
      long remaining,
      long retryAfterMicros,
      long resetAfterMicros,
      Source source) {
    this.allowed = allowed;
    this.decidedBy = decidedBy;
    this.used = (int) used;
    this.remaining = (int) remaining;
    this.retryAfterMicros = retryAfterMicros;
    this.resetAfterMicros = resetAfterMicros;
    this.source = source;
  }

  /**
   * A request that was admitted. For stores.
   *
   * @param decidedBy the limit nearest to exhaustion
   * @param used the permits charged to it, this request's included, at most 2 × 10⁹
   * @param remaining the permits that could be spent right now
   * @param resetAfterMicros the time until nothing is charged, in microseconds
   * @param source where the answer comes from
   * @return the decision
   */
  public static Decision allowed(
      Limit decidedBy, long used, long remaining, long resetAfterMicros, Source source) {
    return new Decision(true, decidedBy, used, remaining, 0, resetAfterMicros, source);
  }

  /**
   * A request that did not fit. For stores.
   *
   * @param decidedBy the limit with the longest wait
   * @param used the permits charged to it, at most 2 × 10⁹
   * @param remaining the permits that could be spent right now
   * @param retryAfterMicros the least time until the request would fit, in microseconds
   * @param resetAfterMicros the time until nothing is charged, in microseconds
   * @param source where the answer comes from
   * @return the decision
   */
  public static Decision denied(
      Limit decidedBy,
      long used,
      long remaining,
      long retryAfterMicros,
      long resetAfterMicros,
      Source source) {
    return new Decision(
        false, decidedBy, used, remaining, retryAfterMicros, resetAfterMicros, source);
  }

  /**
   * A request for more permits than the limit ever admits at once. For stores.
   *
   * @param decidedBy the limit that is too small
   * @param used the permits charged to it, at most 2 × 10⁹
   * @param remaining the permits that could be spent right now
   * @param resetAfterMicros the time until nothing is charged, in microseconds
   * @param source where the answer comes from
   * @return the decision
   */
  public static Decision impossible(
      Limit decidedBy, long used, long remaining, long resetAfterMicros, Source source) {
    return new Decision(false, decidedBy, used, remaining, NEVER_MICROS, resetAfterMicros, source);
  }

  /**
   * Whether the request was admitted, and its permits spent.
   *
   * @return true if admitted
   */
  public boolean allowed() {
    return allowed;
  }

  /**
   * The most permits that fit under the {@linkplain #decidedBy deciding} limit: its permits per
   * window, or the capacity of a token bucket.
   *
   * @return 1 to 10⁹
   */
  public long limit() {
    return decidedBy.capacity();
  }

  /**
   * The permits charged to the {@linkplain #decidedBy deciding} limit after this decision: exact
   * for the sliding log, the weighted estimate for the sliding counter, the count of the window for
   * the fixed window, what is missing in a token bucket, rounded up. More than {@link #limit} only
   * when the limit was lowered.
   *
   * @return 0 or more
   */
  public long used() {
    return used;
  }

  /**
   * The permits that could be spent right now, after this decision, under every limit.
   *
   * @return 0 or more
   */
  public long remaining() {
    return remaining;
  }

  /**
   * The least time after which the same request is admitted if nobody else spends meanwhile: it is
   * admitted then, and denied a microsecond earlier.
   *
   * @return zero when allowed, {@link #NEVER} when the request can never be admitted
   */
  public Duration retryAfter() {
    return retryAfterMicros == NEVER_MICROS ? NEVER : ofMicros(retryAfterMicros);
  }

  /**
   * Whether the request can never be admitted, however long it waits.
   *
   * @return true if {@link #retryAfter} is {@link #NEVER}
   */
  public boolean neverAllowed() {
    return retryAfterMicros == NEVER_MICROS;
  }

  /**
   * The least time after which nothing is charged to the key any more, under any limit, if nobody
   * spends meanwhile.
   *
   * @return zero when nothing is charged now
   */
  public Duration resetAfter() {
    return ofMicros(resetAfterMicros);
  }

  /**
   * The limit that decided.
   *
   * @return one of the policy's limits
   */
  public Limit decidedBy() {
    return decidedBy;
  }

  /**
   * Where the answer came from.
   *
   * @return the source
   */
  public Source source() {
    return source;
  }

  /**
   * The same answer from elsewhere. For stores.
   *
   * @param source where the answer comes from
   * @return the decision
   */
  public Decision withSource(Source source) {
    return new Decision(
        allowed, decidedBy, used, remaining, retryAfterMicros, resetAfterMicros, source);
  }

  private static Duration ofMicros(long micros) {
    return micros == 0
        ? Duration.ZERO
        : Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1_000);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Decision that
        && allowed == that.allowed
        && used == that.used
        && remaining == that.remaining
        && retryAfterMicros == that.retryAfterMicros
        && resetAfterMicros == that.resetAfterMicros
        && source == that.source
        && decidedBy.equals(that.decidedBy);
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        allowed, decidedBy, used, remaining, retryAfterMicros, resetAfterMicros, source);
  }

  @Override
  public String toString() {
    return (allowed ? "allowed" : "denied")
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
