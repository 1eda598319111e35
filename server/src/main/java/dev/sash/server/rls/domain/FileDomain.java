package dev.sash.server.rls.domain;

import dev.sash.config.envoy.EnvoyDescriptor;
import dev.sash.config.envoy.EnvoyDomain;
import dev.sash.config.envoy.EnvoyLimit;
import dev.sash.config.envoy.EnvoyOption;
import dev.sash.config.envoy.EnvoyUnit;
import dev.sash.config.envoy.RlsCharging;
import dev.sash.config.envoy.RlsConfig;
import dev.sash.server.rls.counter.Counter;
import dev.sash.server.rls.counter.DomainLimits;
import dev.sash.server.rls.counter.TimeLimit;
import dev.sash.server.rls.domain.DescriptorTree.Found;
import dev.sash.server.rls.domain.DescriptorTree.Step;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;
import dev.sash.server.rls.wire.RlsRequest.Entry;
import dev.sash.server.rls.wire.RlsStatus;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A domain whose limits stand in a file of Envoy's form. Thread-safe. */
final class FileDomain implements Domain {
  private final String name;
  private final DomainLimits limits;
  private final RlsConfig config;
  private final DescriptorMeters meters;
  private final DescriptorTree<Configured> tree;

  FileDomain(EnvoyDomain domain, DomainLimits limits, RlsConfig config, DescriptorMeters meters) {
    this.name = domain.name();
    this.limits = limits;
    this.config = config;
    this.meters = meters;
    this.tree = new DescriptorTree<>(domain.descriptors(), Configured::new);
  }

  /** A limit of the file. */
  private final class Configured {
    private final DomainLimits.@Nullable Ready ready; // null if it is unlimited
    private final Terms terms;
    private final boolean detailed;

    /** The counters under the name in the file, once there was a request. */
    private volatile DescriptorMeters.@Nullable Hits hits;

    Configured(EnvoyDescriptor descriptor) {
      EnvoyLimit limit = Objects.requireNonNull(descriptor.limit(), "descriptor must have a limit");
      this.ready = limit.unlimited() ? null : ready(limit, descriptor.has(EnvoyOption.SHADOW_MODE));
      boolean quota = descriptor.has(EnvoyOption.QUOTA_MODE);
      this.terms =
          new Terms(
              descriptor.has(EnvoyOption.SHADOW_MODE),
              quota,
              quota || isAlwaysCharged(limit.name()),
              limit.name(),
              limit.replaces(),
              Metadata.of(descriptor.metadata()));
      this.detailed = descriptor.has(EnvoyOption.DETAILED_METRIC);
    }

    DescriptorMeters.Hits hits(List<Entry> entries, List<Step> path) {
      DescriptorMeters.Hits configured = hits;
      if (configured == null) {
        configured = meters.configured(name, MetricPath.of(entries, path, false, true).text());
        hits = configured;
      }
      if (!detailed && path.stream().noneMatch(Step::valueToMetric)) {
        return configured;
      }
      MetricPath requested = MetricPath.of(entries, path, detailed, false);
      return requested.hasRequestValues()
          ? meters.requested(name, requested.text(), configured)
          : configured;
    }
  }

  private DomainLimits.Ready ready(EnvoyLimit limit, boolean shadow) {
    EnvoyUnit unit = Objects.requireNonNull(limit.unit(), "limit must have a unit");
    return limits.ready(
        limit.requestsPerUnit(), unit, limit.name() == null ? "" : limit.name(), shadow);
  }

  private boolean isAlwaysCharged(@Nullable String limit) {
    return config.charging() == RlsCharging.ALWAYS
        || (limit != null && config.chargeAlways().contains(limit));
  }

  @Override
  public Match match(Descriptor descriptor, TimeLimit time) {
    List<Entry> entries = descriptor.entries();
    if (descriptor.limit() != null) {
      Counter counter = limits.override(descriptor.limit()).counter(entries, time);
      return Match.counted(counter, Terms.of(false, isAlwaysCharged(null)));
    }
    Found<Configured> found = tree.find(entries);
    if (found == null) {
      return Match.NONE;
    }
    Configured limit = found.limit();
    if (limit.ready == null) {
      return Match.uncounted(RlsStatus.UNLIMITED, limit.terms);
    }
    Counter counter = limit.ready.counter(counted(entries, found.path()), time);
    DescriptorMeters.Hits hits = limit.hits(entries, found.path());
    return new Match(counter, RlsStatus.UNMATCHED, limit.terms, hits);
  }

  /** The entries, with the pattern in place of values that share a count. */
  private static List<Entry> counted(List<Entry> entries, List<Step> path) {
    if (path.stream().noneMatch(Step::shared)) {
      return entries;
    }
    Entry[] counted = new Entry[entries.size()];
    for (int i = 0; i < counted.length; i++) {
      Entry entry = entries.get(i);
      counted[i] = new Entry(entry.key(), path.get(i).counted(entry));
    }
    return List.of(counted);
  }
}
