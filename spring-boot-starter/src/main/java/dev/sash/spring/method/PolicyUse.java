package dev.sash.spring.method;

import dev.sash.http.HttpLimiter;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.ConfiguredPolicy;
import dev.sash.spring.config.SashProperties;
import dev.sash.spring.redis.RedisLookup;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;

/** Says at the start where limits are kept, and what limits nothing: that may be a mistake. */
final class PolicyUse {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyUse.class);

  private PolicyUse() {}

  static void report(ConfiguredPolicies policies, Set<String> used, ListableBeanFactory beans) {
    if (!policies.names().isEmpty()) {
      RedisLookup lookup = beans.getBeanProvider(RedisLookup.class).getIfAvailable();
      boolean redis = lookup != null && lookup.find() != null;
      LOG.info("Limits of {} are kept in {}", policies.names(), redis ? "Redis" : "memory");
    }
    boolean servesCalls = beans.containsBean("sashGrpcLimits");
    boolean serves = beans.getBeanNamesForType(HttpLimiter.class, true, false).length > 0;
    if (policies.names().isEmpty() && used.isEmpty()) {
      LOG.warn("Nothing is limited: there is no policy under sash.policies, and none is a bean");
    }
    String outgoing = beans.getBean(SashProperties.class).client().policy();
    for (ConfiguredPolicy policy : policies) {
      if (used.contains(policy.name()) || policy.name().equals(outgoing)) {
        continue;
      }
      boolean hasCalls = !policy.properties().grpcMethods().isEmpty();
      if (policy.paths().isEmpty() && !hasCalls) {
        LOG.warn(
            "Policy '{}' limits nothing, unless code asks for it: no @RateLimit names it, and {} is"
                + " not set",
            policy.name(),
            policy.property("paths"));
      }
      if (!policy.paths().isEmpty() && !serves) {
        LOG.warn(
            "Policy '{}' limits nothing: {} is set, but this application serves no requests",
            policy.name(),
            policy.property("paths"));
      }
      if (hasCalls && !servesCalls) {
        LOG.warn(
            "Policy '{}' limits no gRPC call: {} is set, but this application has no gRPC"
                + " service",
            policy.name(),
            policy.property("grpc-methods"));
      }
    }
  }
}
