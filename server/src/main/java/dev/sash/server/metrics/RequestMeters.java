package dev.sash.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts requests to the server over one protocol: {@code sash.server.requests}, by protocol,
 * operation and outcome, and {@code sash.server.requests.waiting}, those for which the store has
 * not answered yet. Decisions have meters of their own. Thread-safe.
 */
public final class RequestMeters {
  private final MeterRegistry registry;
  private final String protocol;
  private final AtomicInteger waiting = new AtomicInteger();
  private final Map<String, Counters> operations = new ConcurrentHashMap<>();

  /**
   * Meters of a protocol.
   *
   * @param registry gets the meters
   * @param protocol such as {@code http}
   */
  public RequestMeters(MeterRegistry registry, String protocol) {
    this.registry = Objects.requireNonNull(registry, "registry must not be null");
    this.protocol = Objects.requireNonNull(protocol, "protocol must not be null");
    Gauge.builder("sash.server.requests.waiting", waiting, AtomicInteger::get)
        .description("Requests for which the store has not answered yet")
        .tag("protocol", protocol)
        .strongReference(true)
        .register(registry);
  }

  /** A request has to wait for the store. */
  public void beginsToWait() {
    waiting.incrementAndGet();
  }

  /** It waits no longer. */
  public void endsToWait() {
    waiting.decrementAndGet();
  }

  /**
   * A request was answered.
   *
   * @param operation the operation: one of a few fixed names, never text of a client
   * @param outcome how it was answered
   */
  public void count(String operation, Outcome outcome) {
    operations.computeIfAbsent(operation, Counters::new).of(outcome).increment();
  }

  /** All of an operation at once, so that the first request of a kind is seen as a change. */
  private final class Counters {
    private final Map<Outcome, Counter> byOutcome = new EnumMap<>(Outcome.class);

    Counters(String operation) {
      for (Outcome outcome : Outcome.values()) {
        byOutcome.put(
            outcome,
            Counter.builder("sash.server.requests")
                .description("Requests to the server, by how they were answered")
                .tag("protocol", protocol)
                .tag("operation", operation)
                .tag("outcome", outcome.id())
                .register(registry));
      }
    }

    Counter of(Outcome outcome) {
      return Objects.requireNonNull(byOutcome.get(outcome));
    }
  }
}
