package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.memory.InMemoryLimiter;
import dev.sash.memory.InMemoryStore;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** The decisions of one policy while Redis does not answer, by its {@link dev.sash.FailureRule}. */
final class FailureDecisions {
  /** What {@link dev.sash.FailureRule#CLOSED} tells callers to wait: recovery is found by then. */
  private static final long CLOSED_RETRY_MICROS = 1_000_000;

  private final int nodes;
  private final LongAdder count = new LongAdder();
  private final InMemoryLimiter local;
  private volatile Policy policy;

  FailureDecisions(Policy policy, int nodes) {
    this.policy = policy;
    this.nodes = nodes;
    this.local = InMemoryStore.create().limiter(policy);
  }

  void changePolicy(Policy changed) {
    local.changePolicy(changed);
    policy = changed;
  }

  Decision tryAcquire(String key, List<Limit> limits, long permits) {
    count.increment();
    return switch (policy.failureRule()) {
      case LOCAL -> fromLocal(local.under(share(limits)).tryAcquire(key, permits));
      case OPEN -> open(limits, permits);
      case CLOSED -> closed(limits, permits);
    };
  }

  /** Gives back locally what was spent locally. */
  Decision refund(String key, List<Limit> limits, long permits) {
    count.increment();
    return switch (policy.failureRule()) {
      case LOCAL -> fromLocal(local.under(share(limits)).refund(key, permits));
      case OPEN -> open(limits, 0);
      case CLOSED -> closed(limits, 0);
    };
  }

  void reset(String key) {
    local.reset(key);
  }

  long count() {
    return count.sum();
  }

  /** As if nobody had spent yet: what has been spent is not known. */
  private static Decision open(List<Limit> limits, long permits) {
    Limit least = least(limits);
    long capacity = least.capacity();
    return permits > capacity
        ? Decision.impossible(least, 0, capacity, 0, Source.FAILURE_RULE)
        : Decision.allowed(
            least,
            permits,
            capacity - permits,
            permits == 0 ? 0 : least.windowMicros(),
            Source.FAILURE_RULE);
  }

  private static Decision closed(List<Limit> limits, long permits) {
    Limit least = least(limits);
    return permits > least.capacity()
        ? Decision.impossible(least, 0, 0, 0, Source.FAILURE_RULE)
        : Decision.denied(
            least, 0, 0, CLOSED_RETRY_MICROS, CLOSED_RETRY_MICROS, Source.FAILURE_RULE);
  }

  private static Limit least(List<Limit> limits) {
    Limit least = limits.get(0);
    for (Limit limit : limits) {
      least = limit.capacity() < least.capacity() ? limit : least;
    }
    return least;
  }

  private static Decision fromLocal(Decision decision) {
    return decision.withSource(Source.LOCAL);
  }

  private List<Limit> share(List<Limit> limits) {
    return nodes == 1 ? limits : limits.stream().map(this::share).toList();
  }

  /** Rounded down, so that all nodes together stay within the limit, but at least 1. */
  private Limit share(Limit limit) {
    return new Limit(
        limit.algorithm(),
        Math.max(1, limit.permits() / nodes),
        limit.windowMicros(),
        limit.cells(),
        Math.max(1, limit.capacity() / nodes));
  }
}
