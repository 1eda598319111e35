package dev.sash.spring.config;

import dev.sash.LimiterRegistry;
import dev.sash.Policy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Applies changes of the environment to the policies, without losing what is charged: limits,
 * tiers, mode, failure rule and deadline. Everything else needs a restart, and a configuration that
 * is wrong changes nothing. Thread-safe.
 */
public final class PolicyRefresh {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyRefresh.class);

  /** Reads policies from properties. */
  @FunctionalInterface
  public interface Source {
    /**
     * Reads the policies.
     *
     * @param properties the current properties
     * @param legacy the current older names
     * @param beans the policies made in code
     * @return the policies
     * @throws BadConfigurationException if something is wrong
     */
    ConfiguredPolicies read(
        SashProperties properties, LegacyProperties legacy, Collection<Policy> beans);
  }

  private final Environment environment;
  private final Source source;
  private final Collection<Policy> beans;
  private final ConfiguredPolicies policies;
  private final LimiterRegistry limiters;

  /** What was applied last: what an operator has changed by hand since then stays. */
  private ConfiguredPolicies applied;

  private Map<String, TierProperties> appliedTiers;

  /**
   * Creates a refresh.
   *
   * @param environment contains the properties
   * @param source reads the policies
   * @param beans the policies made in code
   * @param policies the policies in force
   * @param limiters receive changed limits
   */
  public PolicyRefresh(
      Environment environment,
      Source source,
      Collection<Policy> beans,
      ConfiguredPolicies policies,
      LimiterRegistry limiters) {
    this.environment = environment;
    this.source = source;
    this.beans = beans;
    this.policies = policies;
    this.limiters = limiters;
    this.applied = policies.copy();
    this.appliedTiers = bind(SashProperties.PREFIX, SashProperties.class).tiers();
  }

  private <T> T bind(String prefix, Class<T> type) {
    return Binder.get(environment).bindOrCreate(prefix, type);
  }

  /**
   * Reads the environment again and applies what has changed.
   *
   * @return the names of the policies that have changed
   */
  public synchronized List<String> refresh() {
    ConfiguredPolicies current;
    Map<String, TierProperties> tiers;
    try {
      SashProperties properties = bind(SashProperties.PREFIX, SashProperties.class);
      tiers = properties.tiers();
      current =
          source.read(properties, bind(LegacyProperties.PREFIX, LegacyProperties.class), beans);
    } catch (BadConfigurationException | BindException e) {
      LOG.error("Rate limits stay as they are: the changed configuration is wrong", e);
      return List.of();
    }
    List<String> changed = new ArrayList<>();
    for (ConfiguredPolicy policy : current) {
      ConfiguredPolicy former = applied.find(policy.name());
      if (former == null) {
        LOG.warn("Policy '{}' was added; it needs a restart", policy.name());
      } else if (isChanged(former, policy)
          || (policy.policy().isTiered() && !tiers.equals(appliedTiers))) {
        apply(former, policy);
        changed.add(policy.name());
      }
    }
    for (String name : applied.names()) {
      if (current.find(name) == null) {
        LOG.warn("Policy '{}' was removed; it stays in force until a restart", name);
      }
    }
    applied = current;
    appliedTiers = tiers;
    return changed;
  }

  private static boolean isChanged(ConfiguredPolicy former, ConfiguredPolicy policy) {
    return !former.properties().equals(policy.properties())
        || !former.policy().limits().equals(policy.policy().limits());
  }

  private void apply(ConfiguredPolicy former, ConfiguredPolicy policy) {
    PolicyProperties inForce = policy.properties().asStartedWith(former.properties());
    if (!inForce.equals(policy.properties())) {
      LOG.warn(
          "Policy '{}' has changed in more than limits, tiers, mode, failure-rule and deadline; the"
              + " rest needs a restart",
          policy.name());
    }
    limiters.put(policy.policy());
    policies.replace(new ConfiguredPolicy(policy.policy(), former.paths(), inForce));
    LOG.info("Policy '{}' is now {}", policy.name(), describe(policy));
  }

  private static String describe(ConfiguredPolicy policy) {
    return policy.policy() + ", mode " + policy.properties().mode();
  }
}
