package dev.sash.server.rls;

import dev.sash.config.EnvoyDescriptor;
import dev.sash.config.EnvoyDomain;
import dev.sash.config.EnvoyLimit;
import dev.sash.config.EnvoyUnit;
import dev.sash.server.rls.RlsRequest.Descriptor;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A domain whose limits stand in a file of Envoy's form. Immutable. */
final class FileDomain implements Domain {
  private final DomainLimits limits;
  private final DescriptorTree<Configured> tree;

  /** A limit of the file; not ready if it is unlimited. */
  private record Configured(
      DomainLimits.@Nullable Ready ready,
      boolean binding,
      @Nullable String name,
      List<String> replaces) {}

  FileDomain(EnvoyDomain domain, DomainLimits limits) {
    this.limits = limits;
    this.tree = new DescriptorTree<>(domain.descriptors(), this::configured);
  }

  private Configured configured(EnvoyDescriptor descriptor) {
    EnvoyLimit limit = Objects.requireNonNull(descriptor.limit(), "descriptor must have a limit");
    DomainLimits.Ready ready = null;
    if (!limit.unlimited()) {
      EnvoyUnit unit = Objects.requireNonNull(limit.unit(), "limit must have a unit");
      String name = limit.name() == null ? "" : limit.name();
      ready = limits.ready(limit.requestsPerUnit(), unit, name);
    }
    return new Configured(ready, !descriptor.shadowMode(), limit.name(), limit.replaces());
  }

  @Override
  public Match match(Descriptor descriptor) {
    if (descriptor.limit() != null) {
      return limits.override(descriptor.limit(), descriptor.entries());
    }
    Configured found = tree.find(descriptor.entries());
    if (found == null) {
      return Match.NONE;
    }
    if (found.ready == null) {
      return Match.uncounted(RlsStatus.UNLIMITED, found.replaces);
    }
    Counter counter = found.ready.counter(descriptor.entries());
    return new Match(counter, RlsStatus.UNMATCHED, found.binding, found.name, found.replaces);
  }
}
