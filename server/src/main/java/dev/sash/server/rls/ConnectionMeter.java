package dev.sash.server.rls;

import io.grpc.Attributes;
import io.grpc.ServerTransportFilter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts open connections. */
final class ConnectionMeter extends ServerTransportFilter {
  private final AtomicInteger open = new AtomicInteger();

  ConnectionMeter(MeterRegistry registry) {
    Gauge.builder("sash.server.connections", open, AtomicInteger::get)
        .description("Connections that are open and have sent something")
        .tag("protocol", "grpc")
        .strongReference(true)
        .register(registry);
  }

  @Override
  public Attributes transportReady(Attributes attributes) {
    open.incrementAndGet();
    return attributes;
  }

  @Override
  public void transportTerminated(Attributes attributes) {
    open.decrementAndGet();
  }
}
