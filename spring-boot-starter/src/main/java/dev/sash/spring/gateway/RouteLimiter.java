package dev.sash.spring.gateway;

import static dev.sash.spring.config.BadConfigurationException.check;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.LimiterRegistry;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.ResolvedKey;
import dev.sash.http.PolicyDecision;
import dev.sash.key.Keys;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.ConfiguredPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What limits one route: a {@link GatewayLimit} that was read and found to be correct.
 *
 * @param source what it was made of
 * @param name the name for fields of responses
 * @param limiter decides
 * @param unit what a permit is; null for a request
 * @param route added to every key; null if the key is not by route
 */
record RouteLimiter(
    GatewayLimit source,
    String name,
    RateLimiter limiter,
    @Nullable String unit,
    @Nullable String route) {
  /** What all arguments begin with. */
  static final String PREFIX = "sash-rate-limiter";

  private static final long MAX_PERMITS = 1_000_000_000L;
  private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,62}";

  static RouteLimiter of(
      String routeId, GatewayLimit limit, ConfiguredPolicies policies, LimiterRegistry limiters) {
    if (limit.getPermits() < 1 || limit.getPermits() > MAX_PERMITS) {
      throw bad(
          routeId,
          "permits",
          "must be between 1 and " + MAX_PERMITS + ", was " + limit.getPermits());
    }
    String policy = limit.getPolicy();
    if (policy == null) {
      return ofLimits(routeId, limit, policies, limiters);
    }
    checkOnlyPolicy(routeId, limit);
    ConfiguredPolicy configured = policies.find(policy);
    if (configured == null) {
      throw bad(routeId, "policy", "must be one of " + policies.names() + ", was '" + policy + "'");
    }
    return new RouteLimiter(
        limit,
        policy,
        limiters.get(policy),
        configured.properties().unit(),
        Boolean.TRUE.equals(limit.getByRoute()) ? "route:" + routeId : null);
  }

  private static void checkOnlyPolicy(String routeId, GatewayLimit limit) {
    if (!limit.getLimits().isEmpty()) {
      throw bad(
          routeId, "limits", "must not be set together with policy, was " + limit.getLimits());
    }
    if (limit.getFailureRule() != null) {
      throw bad(
          routeId,
          "failure-rule",
          "must not be set together with policy, which has its own, was " + limit.getFailureRule());
    }
    if (limit.getDeadline() != null) {
      throw bad(
          routeId,
          "deadline",
          "must not be set together with policy, which has its own, was " + limit.getDeadline());
    }
  }

  /** A policy of its own, under a name that no policy of the application can have. */
  private static RouteLimiter ofLimits(
      String routeId, GatewayLimit limit, ConfiguredPolicies policies, LimiterRegistry limiters) {
    if (limit.getLimits().isEmpty()) {
      throw bad(
          routeId,
          "policy",
          "must be set to one of "
              + policies.names()
              + ", or sash-rate-limiter.limits to limits such as 100/1m");
    }
    if (Boolean.FALSE.equals(limit.getByRoute())) {
      throw bad(
          routeId,
          "by-route",
          "must not be false with limits: to share them, let the routes name a policy");
    }
    String property = property(routeId, "limits");
    List<Limit> parsed = new ArrayList<>();
    for (String text : limit.getLimits()) {
      parsed.add(check(property, () -> Limit.parse(text.strip())));
    }
    String name = routeId.matches(NAME) ? routeId : "route-" + Keys.sha256(routeId);
    Policy policy = check(property, () -> Policy.internal(name).withLimits(parsed));
    if (limit.getFailureRule() != null) {
      policy = policy.onFailure(limit.getFailureRule());
    }
    Duration deadline = limit.getDeadline();
    if (deadline != null) {
      Policy timely = policy;
      policy = check(property(routeId, "deadline"), () -> timely.withDeadline(deadline));
    }
    return new RouteLimiter(limit, name, limiters.put(policy), null, null);
  }

  CompletionStage<PolicyDecision> decide(String id) {
    String key = route == null ? Keys.fitting(id) : Keys.joined(List.of(route, id));
    ResolvedKey target = limiter.resolve(key);
    return target
        .tryAcquireAsync(source.getPermits())
        .thenApply(decision -> decided(target, decision));
  }

  private PolicyDecision decided(ResolvedKey target, Decision decision) {
    return new PolicyDecision(
        name, target.limits(), unit, target.key(), source.getPermits(), decision);
  }

  /** The whole name of an argument of a route, for messages. */
  static String property(String routeId, String argument) {
    return "route '" + routeId + "', " + PREFIX + "." + argument;
  }

  static BadConfigurationException bad(String routeId, String argument, String reason) {
    return BadConfigurationException.property(property(routeId, argument), reason);
  }
}
