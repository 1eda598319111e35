package dev.sash.server;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import java.time.Duration;
import java.util.stream.DoubleStream;

/**
 * Counts the calls of the store that took no longer than each of some times, so that percentiles
 * can be told over many servers. A few times, around the usual deadline of 50 ms.
 */
final class LatencyBuckets implements MeterFilter {
  private static final double[] NANOS =
      DoubleStream.of(0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250)
          .map(millis -> millis * Duration.ofMillis(1).toNanos())
          .toArray();

  @Override
  public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
    return id.getName().equals("sash.store.latency")
        ? DistributionStatisticConfig.builder().serviceLevelObjectives(NANOS).build().merge(config)
        : config;
  }
}
