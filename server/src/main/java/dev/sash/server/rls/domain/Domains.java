package dev.sash.server.rls.domain;

import dev.sash.config.Configuration;
import dev.sash.config.envoy.RlsConfig;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.counter.DomainLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The domains of one configuration, prepared for look-ups. Immutable. */
final class Domains {
  private final Configuration configuration;
  private final Map<String, Domain> byName = new HashMap<>();

  Domains(Configuration configuration, Engine engine, Duration deadline, DescriptorMeters meters) {
    this.configuration = configuration;
    configuration
        .policies()
        .forEach(
            (name, policy) -> {
              DomainLimits limits = limits(name, engine, deadline);
              boolean adHoc = configuration.adHocLimits();
              byName.put(name, new PolicyDomain(policy, engine, adHoc ? limits : null));
            });
    configuration
        .domains()
        .forEach(
            (name, domain) ->
                byName.put(
                    name,
                    new FileDomain(
                        domain, limits(name, engine, deadline), configuration.rls(), meters)));
  }

  private DomainLimits limits(String domain, Engine engine, Duration deadline) {
    return new DomainLimits(domain, engine, configuration.rls().algorithm(), deadline);
  }

  /** Whether they are those of this very object: to compare what it holds would cost too much. */
  @SuppressWarnings("ReferenceEquality")
  boolean isOf(Configuration other) {
    return configuration == other;
  }

  RlsConfig config() {
    return configuration.rls();
  }

  /** The domain of that name: a file's before a policy. */
  Domain find(String name) {
    return byName.getOrDefault(name, Domain.UNKNOWN);
  }
}
