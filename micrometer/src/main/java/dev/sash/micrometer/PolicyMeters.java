package dev.sash.micrometer;

import dev.sash.Decision;
import dev.sash.Decision.Source;
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

/** The meters of one policy, found without a look into the registry. */
final class PolicyMeters {
  private final Clock clock;
  private final boolean timed;
  private final Timer latency;
  private final Counter fallbacks;

  private final Map<Source, Counter> allowed = new EnumMap<>(Source.class);
  private final Map<Source, Counter> denied = new EnumMap<>(Source.class);

  /**
   * Registers all of them, so that the first decision of a kind is seen as a change.
   *
   * @param sources where answers can come from
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
            .description("Answers that a failure rule had to give")
            .tag("policy", policy)
            .register(registry);
    for (Source source : sources) {
      allowed.put(source, decisions(registry, policy, Words.outcome(true), source));
      denied.put(source, decisions(registry, policy, Words.outcome(false), source));
    }
  }

  private static Counter decisions(
      MeterRegistry registry, String policy, String outcome, Source source) {
    return Counter.builder("sash.decisions")
        .description("Requests for permits, by their answer")
        .tag("policy", policy)
        .tag("outcome", outcome)
        .tag("source", Words.source(source))
        .register(registry);
  }

  /** When a call begins. Not read from the clock if a filter has denied the timer. */
  long now() {
    return timed ? clock.monotonicTime() : 0;
  }

  /** A call that began at {@code start} was answered, by the store or in its place. */
  Decision answered(Decision decision, long start) {
    switch (decision.source()) {
      case STORE, OVERFLOW -> called(start);
      case LOCAL, FAILURE_RULE -> fallbacks.increment();
      case DENY_CACHE -> {} // no call, and no failure
    }
    return decision;
  }

  /** The store did what it was called for. */
  void called(long start) {
    if (timed) {
      latency.record(clock.monotonicTime() - start, TimeUnit.NANOSECONDS);
    }
  }

  /** A request was decided; a peek asks for nothing. */
  void decided(Decision decision, long permits) {
    if (permits > 0) {
      Map<Source, Counter> counters = decision.allowed() ? allowed : denied;
      Objects.requireNonNull(counters.get(decision.source())).increment();
    }
  }
}
