package dev.sash.spring.actuate;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.LimiterRegistry;
import dev.sash.RateLimiter;
import dev.sash.ResolvedKey;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.ConfiguredPolicy;
import dev.sash.store.StoreException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The actuator endpoint {@code sash}: which policies there are, the state of a key, and to forget
 * one. Forgetting needs {@code management.endpoint.sash.access=unrestricted}. Never lists keys.
 */
@WebEndpoint(id = "sash", defaultAccess = Access.READ_ONLY)
public final class SashEndpoint {
  private final LimiterRegistry limiters;
  private final ConfiguredPolicies policies;

  /**
   * An endpoint.
   *
   * @param limiters are asked
   * @param policies tell what is configured
   */
  public SashEndpoint(LimiterRegistry limiters, ConfiguredPolicies policies) {
    this.limiters = limiters;
    this.policies = policies;
  }

  /**
   * What is in force.
   *
   * @param limits what is allowed
   * @param tiered whether some keys have other limits
   * @param failureRule what decides while the store does not answer
   * @param deadline within which time the store must have answered
   * @param paths which requests are limited; empty if none are, or by annotations
   * @param methods which of their methods; empty for all
   * @param key who is limited
   */
  public record PolicyDescription(
      List<String> limits,
      boolean tiered,
      String failureRule,
      String deadline,
      List<String> paths,
      List<String> methods,
      String key) {}

  /**
   * The state of a key.
   *
   * @param limits what holds for it
   * @param limit the limit nearest to exhaustion
   * @param used what is charged to that
   * @param remaining what could be spent now
   * @param resetAfter when nothing will be charged any more
   * @param source where the answer came from
   */
  public record KeyDescription(
      List<String> limits,
      long limit,
      long used,
      long remaining,
      String resetAfter,
      String source) {}

  /**
   * All policies.
   *
   * @return by their names, under {@code policies}
   */
  @ReadOperation
  public Map<String, Map<String, PolicyDescription>> policies() {
    Map<String, PolicyDescription> all = new LinkedHashMap<>();
    for (ConfiguredPolicy policy : policies) {
      all.put(policy.name(), describe(policy));
    }
    return Map.of("policies", all);
  }

  private PolicyDescription describe(ConfiguredPolicy configured) {
    var policy = limiters.get(configured.name()).policy();
    return new PolicyDescription(
        texts(policy.limits()),
        policy.isTiered(),
        policy.failureRule().name(),
        policy.deadline().toString(),
        configured.paths(),
        configured.properties().methods(),
        configured.properties().key());
  }

  /**
   * One policy, or the state of a key under it. Spends nothing.
   *
   * @param policy the policy's name
   * @param key who; the policy itself if it is left away
   * @return 404 if there is no such policy
   */
  @ReadOperation
  public WebEndpointResponse<?> state(@Selector String policy, @Nullable String key) {
    ConfiguredPolicy configured = policies.find(policy);
    if (configured == null) {
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
    }
    return key == null
        ? new WebEndpointResponse<>(describe(configured))
        : answer(policy, limiter -> new WebEndpointResponse<>(describe(limiter, key)));
  }

  private static KeyDescription describe(RateLimiter limiter, String key) {
    ResolvedKey resolved = limiter.resolve(key);
    Decision decision = resolved.tryAcquire(0);
    return new KeyDescription(
        texts(resolved.limits()),
        decision.limit(),
        decision.used(),
        decision.remaining(),
        decision.resetAfter().toString(),
        decision.source().name());
  }

  /**
   * Forgets a key: it starts afresh.
   *
   * @param policy the policy's name
   * @param key who
   * @return 204; 404 if there is no such policy; 503 if Redis does not answer
   */
  @DeleteOperation
  public WebEndpointResponse<?> reset(@Selector String policy, String key) {
    if (policies.find(policy) == null) {
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
    }
    return answer(
        policy,
        limiter -> {
          limiter.reset(key);
          return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
        });
  }

  private WebEndpointResponse<?> answer(
      String policy, Function<RateLimiter, WebEndpointResponse<?>> question) {
    try {
      return question.apply(limiters.get(policy));
    } catch (IllegalArgumentException e) {
      return new WebEndpointResponse<>(error(e), WebEndpointResponse.STATUS_BAD_REQUEST);
    } catch (StoreException e) {
      return new WebEndpointResponse<>(error(e), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
    }
  }

  private static Map<String, String> error(Exception e) {
    return Map.of("error", String.valueOf(e.getMessage()));
  }

  private static List<String> texts(List<Limit> limits) {
    return limits.stream().map(Limit::toString).toList();
  }
}
