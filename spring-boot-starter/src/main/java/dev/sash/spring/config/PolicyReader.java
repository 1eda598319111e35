package dev.sash.spring.config;

import static dev.sash.spring.config.BadConfigurationException.check;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.spring.TierResolver;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;

/** Makes policies of properties. Whatever is wrong is said with the name of the property. */
public final class PolicyReader {
  private static final String DEFAULT = "default";
  private static final List<String> EVERYTHING = List.of("/**");

  private final SashProperties properties;
  private final @Nullable TierResolver resolver;
  private final Map<String, ConfiguredPolicy> policies = new LinkedHashMap<>();

  /**
   * A reader.
   *
   * @param properties what is configured
   * @param resolver tells tiers in place of {@code sash.tiers}; null if those tell them
   */
  public PolicyReader(SashProperties properties, @Nullable TierResolver resolver) {
    this.properties = properties;
    this.resolver = resolver;
  }

  /**
   * Reads.
   *
   * @param legacy the older names
   * @param beans policies made in code
   * @return all of them
   * @throws BadConfigurationException naming what is wrong
   */
  public ConfiguredPolicies read(LegacyProperties legacy, Collection<Policy> beans) {
    TierResolver tiers = resolver == null ? TierLists.of(properties.tiers()) : resolver;
    properties
        .policies()
        .forEach(
            (name, configured) -> {
              if (!name.equals(DEFAULT) || !legacy.isSet()) {
                add(policy(name, configured, limits(name, configured.limits()), tiers));
              }
            });
    if (legacy.isSet()) {
      add(legacyPolicy(legacy, tiers));
    }
    for (Policy bean : beans) {
      if (policies.containsKey(bean.name())) {
        throw bad(property(bean.name(), "limits"), "a bean is a policy of the same name");
      }
      add(new ConfiguredPolicy(bean, List.of(), unset()));
    }
    return new ConfiguredPolicies(policies.values());
  }

  private void add(ConfiguredPolicy policy) {
    policies.put(policy.name(), policy);
  }

  private ConfiguredPolicy policy(
      String name, PolicyProperties configured, List<Limit> limits, TierResolver tiers) {
    if (configured.cost() < 1) {
      throw bad(property(name, "cost"), "must be 1 or more, was " + configured.cost());
    }
    Policy policy = named(name);
    policy = checked(property(name, "limits"), policy, limits).onFailure(configured.failureRule());
    Policy timely = policy;
    policy = check(property(name, "deadline"), () -> timely.withDeadline(configured.deadline()));
    List<String> paths =
        configured.paths().isEmpty() && configured.chargeOnlyFailedLogins()
            ? EVERYTHING
            : configured.paths();
    checkCalls(name, configured);
    PolicyProperties checked = checked(name, configured, !paths.isEmpty());
    checkCost(policy, checked);
    return new ConfiguredPolicy(tiered(policy, configured, tiers), paths, checked);
  }

  /** A request that costs more than a limit ever admits would always be denied. */
  private static void checkCost(Policy policy, PolicyProperties configured) {
    for (Limit limit : policy.limits()) {
      if (configured.cost() > limit.capacity()) {
        throw bad(
            property(policy.name(), "cost"),
            "must be at most "
                + limit.capacity()
                + ", which "
                + limit
                + " admits at once, was "
                + configured.cost()
                + ": no request would ever be admitted");
      }
    }
  }

  private static Policy named(String name) {
    return check(property(name, ""), () -> Policy.named(name));
  }

  private static Policy checked(String property, Policy policy, List<Limit> limits) {
    return check(property, () -> policy.withLimits(limits));
  }

  private static List<Limit> limits(String name, List<String> texts) {
    return parsed(property(name, "limits"), texts);
  }

  private static List<Limit> parsed(String property, List<String> texts) {
    if (texts.isEmpty()) {
      throw bad(property, "must have one limit or more, such as 100/1m; a policy without is none");
    }
    List<Limit> limits = new ArrayList<>();
    for (String text : texts) {
      limits.add(check(property, () -> Limit.parse(text)));
    }
    return limits;
  }

  private Policy tiered(Policy policy, PolicyProperties configured, TierResolver resolver) {
    if (configured.tiers().isEmpty()) {
      return policy;
    }
    Map<String, List<Limit>> limits = new LinkedHashMap<>();
    configured
        .tiers()
        .forEach(
            (tier, texts) -> {
              String property = property(policy.name(), "tiers." + tier);
              if (this.resolver == null && !properties.tiers().containsKey(tier)) {
                throw bad(
                    property,
                    "nobody belongs to the tier: sash.tiers has " + properties.tiers().keySet());
              }
              List<Limit> parsed = parsed(property, texts);
              limits.put(tier, checked(property, policy, parsed).limits());
            });
    String name = policy.name();
    return policy.withTiers(
        key -> {
          String tier = resolver.tierOf(name, key);
          return tier == null ? List.of() : limits.getOrDefault(tier, List.of());
        });
  }

  /** What only means something for requests must not stand where there are none. */
  private PolicyProperties checked(String name, PolicyProperties configured, boolean hasPaths) {
    List<String> lost = new ArrayList<>();
    if (!hasPaths) {
      if (!configured.methods().isEmpty()) {
        lost.add("methods");
      }
      if (configured.costHeader() != null) {
        lost.add("cost-header");
      }
      if (configured.maxWait() != null) {
        lost.add("max-wait");
      }
    }
    boolean hasCalls = !configured.grpcMethods().isEmpty();
    if (!hasPaths && !hasCalls) {
      if (configured.cost() != 1) {
        lost.add("cost");
      }
      if (!configured.continues()) {
        lost.add("continue");
      }
      if (configured.place() != PolicyProperties.FilterPlace.AUTO) {
        lost.add("place");
      }
    }
    if (!lost.isEmpty()) {
      throw bad(
          property(name, lost.get(0)),
          "needs " + property(name, "paths") + ": without paths no request is limited by it");
    }
    if (configured.chargeOnlyFailedLogins() && !configured.chargeOnlyStatus().isEmpty()) {
      throw bad(
          property(name, "charge-only-failed-logins"),
          "cannot be combined with charge-only-status: a charge has one condition");
    }
    if (configured.costHeader() != null && properties.web().trustedProxies().isEmpty()) {
      throw bad(
          property(name, "cost-header"),
          "needs sash.web.trusted-proxies: only they are believed about costs");
    }
    return configured;
  }

  /** What only HTTP has must not stand where it would mean nothing for a gRPC call. */
  private static void checkCalls(String name, PolicyProperties configured) {
    if (configured.grpcMethods().isEmpty()) {
      return;
    }
    String impossible =
        !configured.chargeOnlyStatus().isEmpty()
            ? "charge-only-status"
            : configured.chargeOnlyFailedLogins()
                ? "charge-only-failed-logins"
                : configured.costHeader() != null ? "cost-header" : null;
    if (impossible != null) {
      throw bad(
          property(name, impossible),
          "cannot be combined with grpc-methods: it is for HTTP requests, and a gRPC call is"
              + " charged when it begins, at its cost");
    }
  }

  private ConfiguredPolicy legacyPolicy(LegacyProperties legacy, TierResolver tiers) {
    PolicyProperties configured = properties.policies().get(DEFAULT);
    if (configured != null && !configured.limits().isEmpty()) {
      throw bad(
          property(DEFAULT, "limits"), "rate-limiter.max-requests says the same: keep one of them");
    }
    PolicyProperties rest = configured == null ? unset() : configured;
    ConfiguredPolicy policy = policy(DEFAULT, rest, List.of(LegacyLimit.of(legacy)), tiers);
    return policy.paths().isEmpty()
        ? new ConfiguredPolicy(policy.policy(), EVERYTHING, policy.properties())
        : policy;
  }

  /** As if nothing were set. */
  static PolicyProperties unset() {
    return new Binder().bindOrCreate("unset", PolicyProperties.class);
  }

  static String property(String policy, String property) {
    return (policy.matches("[a-z0-9-]+")
            ? "sash.policies." + policy
            : "sash.policies[" + policy + "]")
        + (property.isEmpty() ? "" : "." + property);
  }

  private static BadConfigurationException bad(String property, @Nullable String reason) {
    return BadConfigurationException.property(property, reason);
  }
}
