package dev.sash.store;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import dev.sash.internal.Bounds;
import dev.sash.internal.DecisionMaker;
import java.util.List;

/** Creates decisions, for authors of stores. */
public final class Decisions {
  /** The most permits that can be charged to a key under one limit. */
  public static final long MAX_USED = 2_000_000_000L;

  private static final DecisionMaker MAKER = DecisionMaker.get();
  private static final long NEVER_MICROS = Long.MAX_VALUE;

  private Decisions() {}

  /**
   * Returns the decision for a request that was admitted.
   *
   * @param decidedBy the limit nearest to exhaustion
   * @param used the permits charged to it, those of this request included; at most {@link
   *     #MAX_USED}
   * @param remaining the permits that could be spent right now
   * @param resetAfterMicros the time until nothing is charged, in microseconds
   * @param source where the decision comes from
   * @return the decision
   */
  public static Decision allowed(
      Limit decidedBy, long used, long remaining, long resetAfterMicros, Source source) {
    return MAKER.make(decidedBy, used, remaining, 0, resetAfterMicros, source, List.of());
  }

  /**
   * Returns the decision for a request that did not fit.
   *
   * @param decidedBy the limit with the longest wait
   * @param used the permits charged to it; at most {@link #MAX_USED}
   * @param remaining the permits that could be spent right now
   * @param retryAfterMicros the least time until the request would fit, in microseconds, more than
   *     0; {@link Long#MAX_VALUE} for never
   * @param resetAfterMicros the time until nothing is charged, in microseconds
   * @param source where the decision comes from
   * @return the decision
   */
  public static Decision denied(
      Limit decidedBy,
      long used,
      long remaining,
      long retryAfterMicros,
      long resetAfterMicros,
      Source source) {
    if (retryAfterMicros <= 0) {
      Bounds.check("retryAfterMicros", 1, Long.MAX_VALUE, retryAfterMicros);
    }
    return MAKER.make(
        decidedBy, used, remaining, retryAfterMicros, resetAfterMicros, source, List.of());
  }

  /**
   * Returns the decision for a request for more permits than the limit ever admits at once.
   *
   * @param decidedBy the limit that is too small
   * @param used the permits charged to it; at most {@link #MAX_USED}
   * @param remaining the permits that could be spent right now
   * @param resetAfterMicros the time until nothing is charged, in microseconds
   * @param source where the decision comes from
   * @return the decision
   */
  public static Decision neverAllowed(
      Limit decidedBy, long used, long remaining, long resetAfterMicros, Source source) {
    return MAKER.make(
        decidedBy, used, remaining, NEVER_MICROS, resetAfterMicros, source, List.of());
  }

  /**
   * Returns a decision with another source.
   *
   * @param decision the decision
   * @param source where it comes from
   * @return the new decision
   */
  public static Decision withSource(Decision decision, Source source) {
    return copy(decision, 0, source, decision.usages());
  }

  /**
   * Returns a decision with usages, as {@link Operation#INSPECT} demands.
   *
   * @param decision the decision
   * @param usages one for each limit, in their order
   * @return the new decision
   */
  public static Decision withUsages(Decision decision, List<LimitUsage> usages) {
    return copy(decision, 0, decision.source(), List.copyOf(usages));
  }

  /**
   * Returns a denial as it stands some time later, if nobody spends meanwhile.
   *
   * @param denial the denial
   * @param micros how much later, less than its {@code retryAfter}
   * @param source where the new decision comes from
   * @return the new decision
   */
  public static Decision later(Decision denial, long micros, Source source) {
    return copy(denial, micros, source, List.of());
  }

  private static Decision copy(
      Decision decision, long laterMicros, Source source, List<LimitUsage> usages) {
    long retryAfter = 0;
    if (decision.neverAllowed()) {
      retryAfter = NEVER_MICROS;
    } else if (!decision.allowed()) {
      retryAfter = Math.max(1, Bounds.microsCeil(decision.retryAfter()) - laterMicros);
    }
    return MAKER.make(
        decision.decidedBy(),
        decision.used(),
        decision.remaining(),
        retryAfter,
        Math.max(0, Bounds.microsCeil(decision.resetAfter()) - laterMicros),
        source,
        usages);
  }
}
