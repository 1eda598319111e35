package dev.sash.server.statistics;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.server.statistics.PolicyDetail.TopKey;
import dev.sash.server.statistics.PolicyDetail.TopKeys;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is known of one policy. Not thread-safe. */
final class PolicyStatistics {
  /** The keys of each list. */
  static final int TOP_KEYS = 64;

  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;

  private final String policy;
  private final TimeSeries series;
  private final @Nullable Keys keys;
  private long lastMillis;

  /** What is known of keys. */
  private static final class Keys {
    private final Rotating<HeavyHitters> spenders =
        new Rotating<>(30 * MINUTE, 2, () -> new HeavyHitters(TOP_KEYS));
    private final Rotating<HeavyHitters> denied =
        new Rotating<>(30 * MINUTE, 2, () -> new HeavyHitters(TOP_KEYS));
    private final Rotating<PeakUse> hour = new Rotating<>(15 * MINUTE, 4, PeakUse::new);
    private final Rotating<PeakUse> day = new Rotating<>(6 * HOUR, 4, PeakUse::new);
  }

  /**
   * Creates statistics of a policy.
   *
   * @param detailed whether keys are known; the series are compact otherwise
   */
  PolicyStatistics(String policy, boolean detailed) {
    this.policy = policy;
    this.series = detailed ? TimeSeries.detailed() : TimeSeries.compact();
    this.keys = detailed ? new Keys() : null;
  }

  boolean isDetailed() {
    return keys != null;
  }

  /** Returns the time of the last decision. */
  long lastMillis() {
    return lastMillis;
  }

  void add(Event event) {
    long time = event.timeMillis;
    lastMillis = Math.max(lastMillis, time);
    count(series, event);
    if (keys == null) {
      return;
    }
    Decision decision = event.decision();
    boolean denied = !decision.allowed();
    if (denied) {
      keys.denied.at(time).add(event.hash, event.label, 1);
    } else {
      keys.spenders.at(time).add(event.hash, event.label, event.permits);
    }
    if (event.isCounted && decision.source() != Source.FAILURE_RULE) {
      keys.hour.at(time).add(event.hash, decision.used(), decision.limit(), denied);
      keys.day.at(time).add(event.hash, decision.used(), decision.limit(), denied);
    }
  }

  static void count(TimeSeries series, Event event) {
    Decision decision = event.decision();
    boolean denied = !decision.allowed();
    series.add(denied && !event.shadow ? Measure.DENIED : Measure.ALLOWED, event.timeMillis, 1);
    if (denied && event.shadow) {
      series.add(Measure.WOULD_DENY, event.timeMillis, 1);
    }
    if (decision.source() == Source.LOCAL || decision.source() == Source.FAILURE_RULE) {
      series.add(Measure.FALLBACKS, event.timeMillis, 1);
    }
  }

  PolicyCounts counts(long nowMillis) {
    return PolicyCounts.of(policy, isDetailed(), series, nowMillis);
  }

  /** Returns what is known of keys and times; null if it is not. */
  @Nullable PolicyDetail detail(long nowMillis) {
    if (keys == null) {
      return null;
    }
    Map<Measure, long[]> seconds = new EnumMap<>(Measure.class);
    Map<Measure, long[]> minutes = new EnumMap<>(Measure.class);
    for (Measure measure : Measure.values()) {
      seconds.put(measure, series.fine(measure, nowMillis));
      minutes.put(measure, series.coarse(measure, nowMillis));
    }
    return new PolicyDetail(
        counts(nowMillis),
        nowMillis,
        seconds,
        minutes,
        peaks(keys.hour.all(nowMillis)),
        peaks(keys.day.all(nowMillis)),
        top(keys.spenders.all(nowMillis)),
        top(keys.denied.all(nowMillis)));
  }

  private static PeakUse.Summary peaks(List<PeakUse> slices) {
    PeakUse all = new PeakUse();
    slices.forEach(all::add);
    return all.summary();
  }

  private static TopKeys top(List<HeavyHitters> slices) {
    HeavyHitters all = new HeavyHitters(TOP_KEYS);
    slices.forEach(all::add);
    List<TopKey> listed =
        all.entries().stream()
            .filter(entry -> entry.label() != null)
            .map(
                entry ->
                    new TopKey(Objects.requireNonNull(entry.label()), entry.count(), entry.error()))
            .toList();
    return new TopKeys(all.total(), all.absent(), listed);
  }
}
