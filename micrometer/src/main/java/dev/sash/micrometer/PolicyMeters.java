package dev.sash.micrometer;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.store.Operation;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.noop.NoopTimer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The meters of one policy, found without looking them up in the registry. */
final class PolicyMeters {
  private final Clock clock;
  private final boolean timed;
  private final Timer latency;
  private final Counter fallbacks;

  private final Map<Source, Counter> allowed = new EnumMap<>(Source.class);
  private final Map<Source, Counter> denied = new EnumMap<>(Source.class);

  /**
   * Registers all meters, so that the first decision of each kind is seen as a change.
   *
   * @param sources the possible sources of decisions
   */
  PolicyMeters(MeterRegistry registry, String policy, Set<Source> sources) {
    this.clock = registry.config().clock();
    this.latency =
        Timer.builder("sash.store.latency")
            .description("Calls that the store answered")
            .tag("policy", policy)
            .register(registry);
    this.timed = !(latency instanceof NoopTimer);
    this.fallbacks =
        Counter.builder("sash.fallbacks")
            .description("Decisions by a failure rule")
            .tag("policy", policy)
            .register(registry);
    for (Source source : sources) {
      allowed.put(source, decisions(registry, policy, TagValues.outcome(true), source));
      denied.put(source, decisions(registry, policy, TagValues.outcome(false), source));
    }
  }

  private static Counter decisions(
      MeterRegistry registry, String policy, String outcome, Source source) {
    return Counter.builder("sash.decisions")
        .description("Requests for permits by outcome")
        .tag("policy", policy)
        .tag("outcome", outcome)
        .tag("source", TagValues.source(source))
        .register(registry);
  }

  /** Returns the time at which a call starts; 0 if a filter has denied the timer. */
  long now() {
    return timed ? clock.monotonicTime() : 0;
  }

  /** Records the result of a call that started at {@code start}, and returns it. */
  Decision decided(Operation operation, Decision decision, long start) {
    switch (decision.source()) {
      case STORE, OVERFLOW -> {
        if (timed) {
          latency.record(clock.monotonicTime() - start, TimeUnit.NANOSECONDS);
        }
      }
      case LOCAL, FAILURE_RULE -> {
        // A refund of local permits is local whether or not the store is available.
        if (operation != Operation.REFUND_LOCAL) {
          fallbacks.increment();
        }
      }
      case DENY_CACHE -> {} // neither a call of the store nor a failure
    }
    if (operation == Operation.ACQUIRE) {
      Map<Source, Counter> counters = decision.allowed() ? allowed : denied;
      Objects.requireNonNull(counters.get(decision.source())).increment();
    }
    return decision;
  }
}
