package dev.sash.spring.grpc;

import static dev.sash.spring.config.BadConfigurationException.check;

import dev.sash.LimiterRegistry;
import dev.sash.grpc.CallKey;
import dev.sash.grpc.CallRule;
import dev.sash.grpc.RateLimitInterceptor;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.ConfiguredPolicy;
import dev.sash.spring.config.PolicyProperties;
import dev.sash.spring.config.PolicyProperties.FilterPlace;
import io.grpc.ServerInterceptor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates what limits gRPC calls. A mistake in the configuration is reported with the name of the
 * property, when this is created and not with the first call.
 */
final class GrpcLimits {
  private final ConfiguredPolicies policies;
  private final LimiterRegistry limiters;
  private final @Nullable Callers callers;
  private final Function<String, CallKey> beans;

  /** The names of the policies that check calls behind Spring Security. */
  private final Set<String> behindSecurity = new HashSet<>();

  private final List<ConfiguredPolicy> needUser = new ArrayList<>();
  private final @Nullable RateLimitInterceptor all;

  /**
   * From properties.
   *
   * @param policies what is limited
   * @param limiters decide
   * @param callers know the user; null if nobody does
   * @param beans finds a {@link CallKey} by its name; throws an IllegalArgumentException if there
   *     is none
   */
  GrpcLimits(
      ConfiguredPolicies policies,
      LimiterRegistry limiters,
      @Nullable Callers callers,
      Function<String, CallKey> beans) {
    this.policies = policies;
    this.limiters = limiters;
    this.callers = callers;
    this.beans = beans;
    RateLimitInterceptor.Builder builder = RateLimitInterceptor.builder();
    boolean isLimited = false;
    for (ConfiguredPolicy policy : policies) {
      if (!policy.properties().grpcMethods().isEmpty()) {
        builder.rule(rule(policy));
        isLimited = true;
      }
    }
    all = isLimited ? builder.build() : null;
  }

  private CallRule rule(ConfiguredPolicy policy) {
    PolicyProperties properties = policy.properties();
    String name = policy.name();
    CallKeyExpression words = new CallKeyExpression(beans, callers == null ? null : callers.user());
    CallKey key = check(policy.property("key"), () -> words.parse(properties.keyOrDefault()));
    place(policy, words.usesUser());
    CallRule all = CallRule.of(limiters.get(name), key).shadowIf(() -> policies.isShadow(name));
    CallRule some =
        check(
            policy.property("grpc-methods"),
            () -> all.forMethods(properties.grpcMethods().toArray(String[]::new)));
    CallRule rule = check(policy.property("cost"), () -> some.cost(properties.cost()));
    if (properties.skipWithoutKey()) {
      rule = rule.skippedWithoutKey();
    }
    return properties.continues() ? rule : rule.thenStop();
  }

  private void place(ConfiguredPolicy policy, boolean usesUser) {
    FilterPlace place = policy.properties().place();
    if (usesUser && place == FilterPlace.BEFORE_SECURITY) {
      throw BadConfigurationException.property(
          policy.property("key"),
          "cannot contain 'user' before Spring Security, where nobody is authenticated yet: set"
              + " place to after-security, or leave it out");
    }
    if (usesUser) {
      needUser.add(policy);
    }
    if (usesUser || place == FilterPlace.AFTER_SECURITY) {
      behindSecurity.add(policy.name());
    }
  }

  /** Returns what limits calls before Spring Security; null if nothing does. */
  @Nullable RateLimitInterceptor beforeSecurity() {
    return divided(false);
  }

  /** Returns what limits calls behind Spring Security; null if nothing does. */
  @Nullable RateLimitInterceptor behindSecurity() {
    return divided(true);
  }

  private @Nullable RateLimitInterceptor divided(boolean isBehind) {
    boolean isLimited =
        policies.names().stream()
            .anyMatch(name -> isGrpc(name) && behindSecurity.contains(name) == isBehind);
    return all == null || !isLimited
        ? null
        : all.withRules(rule -> behindSecurity.contains(rule.policy()) == isBehind);
  }

  private boolean isGrpc(String name) {
    ConfiguredPolicy policy = policies.find(name);
    return policy != null && !policy.properties().grpcMethods().isEmpty();
  }

  /**
   * Checks that the user is known where keys need it.
   *
   * @param place where calls are limited behind Spring Security
   * @throws BadConfigurationException if it is not
   */
  void checkUsers(ServerInterceptor place) {
    if (needUser.isEmpty() || callers == null) {
      return;
    }
    String reason = callers.whyUnknown(place);
    if (reason != null) {
      throw BadConfigurationException.property(
          needUser.get(0).property("key"), "cannot contain 'user': " + reason);
    }
  }
}
