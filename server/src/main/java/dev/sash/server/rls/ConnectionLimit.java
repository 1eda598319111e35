package dev.sash.server.rls;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.Channel;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts open connections, and bounds how many there are. Thread-safe. */
final class ConnectionLimit {
  private final int most;
  private final AtomicInteger open = new AtomicInteger();
  private final Counter refused;

  ConnectionLimit(int most, MeterRegistry registry) {
    this.most = most;
    Gauge.builder("sash.server.connections", open, AtomicInteger::get)
        .description("Connections that are open and have sent something")
        .tag("protocol", "grpc")
        .strongReference(true)
        .register(registry);
    this.refused =
        Counter.builder("sash.server.connections.refused")
            .description("Connections closed because there were too many")
            .tag("protocol", "grpc")
            .register(registry);
  }

  /** Returns whether a new connection may stay; it is counted until it is closed. */
  boolean admit(Channel connection) {
    if (open.incrementAndGet() > most) {
      open.decrementAndGet();
      refused.increment();
      return false;
    }
    connection.closeFuture().addListener(closed -> open.decrementAndGet());
    return true;
  }
}
