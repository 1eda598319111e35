package dev.sash.spring.actuate;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.LimiterRegistry;
import dev.sash.RateLimiter;
import dev.sash.ResolvedKey;
import dev.sash.key.Keys;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.ConfiguredPolicy;
import dev.sash.spring.config.PolicyProperties.Mode;
import dev.sash.spring.config.PolicyRefresh;
import dev.sash.store.StoreException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The actuator endpoint {@code sash}: shows the policies and the state of a key, changes limits,
 * and forgets a key. The latter two need {@code management.endpoint.sash.access=unrestricted}.
 * Never lists keys.
 */
@WebEndpoint(id = "sash", defaultAccess = Access.READ_ONLY)
public final class SashEndpoint {
  private static final Logger LOG = LoggerFactory.getLogger(SashEndpoint.class);

  private final LimiterRegistry limiters;
  private final ConfiguredPolicies policies;
  private final PolicyRefresh refresh;

  /**
   * Creates an endpoint.
   *
   * @param limiters decide
   * @param policies what is configured
   * @param refresh applies changes of the environment
   */
  public SashEndpoint(
      LimiterRegistry limiters, ConfiguredPolicies policies, PolicyRefresh refresh) {
    this.limiters = limiters;
    this.policies = policies;
    this.refresh = refresh;
  }

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
    return PolicyDescription.of(configured, limiters.get(configured.name()).policy());
  }

  /**
   * Returns one policy, or the state of a key under it. Charges nothing.
   *
   * @param policy the policy's name
   * @param key the key, such as {@code ip:192.0.2.1}; the policy itself if it is left out
   * @param apiKey the value of an API key, instead of the key
   * @return 404 if there is no such policy; 400 if the policy never has such a key
   */
  @ReadOperation
  public WebEndpointResponse<?> state(
      @Selector String policy, @Nullable String key, @Nullable String apiKey) {
    ConfiguredPolicy configured = policies.find(policy);
    if (configured == null) {
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
    }
    return key == null && apiKey == null
        ? new WebEndpointResponse<>(describe(configured))
        : answer(
            policy,
            limiter ->
                new WebEndpointResponse<>(describe(limiter, keyOf(configured, key, apiKey))));
  }

  /** A key of another kind is one that nobody has: its state would say nothing. */
  private static String keyOf(
      ConfiguredPolicy policy, @Nullable String key, @Nullable String apiKey) {
    if (apiKey != null) {
      return Keys.ofApiKey(apiKey);
    }
    String given = Objects.requireNonNull(key);
    String expression = policy.properties().keyOrDefault();
    boolean isLimited = !policy.paths().isEmpty() || !policy.properties().grpcMethods().isEmpty();
    if (isLimited && !expression.contains("bean:") && !given.isEmpty()) {
      List<String> prefixes = KeyPrefixes.of(expression);
      if (prefixes.stream().noneMatch(given::startsWith)) {
        throw new IllegalArgumentException(
            "key must begin with one of "
                + prefixes
                + ", as the keys of '"
                + expression
                + "' do; the value of an API key is the parameter apiKey");
      }
    }
    return given;
  }

  private static KeyDescription describe(RateLimiter limiter, String key) {
    ResolvedKey resolved = limiter.resolve(key);
    Decision decision = resolved.tryAcquire(0);
    return new KeyDescription(
        PolicyDescription.texts(resolved.limits()),
        decision.limit(),
        decision.used(),
        decision.remaining(),
        decision.resetAfter().toString(),
        decision.source().name());
  }

  /**
   * Changes a policy in this instance, from the next decision on. What is charged stays charged.
   *
   * @param policy the policy's name
   * @param limits such as {@code 5/s, 100/1h}; the same as before if it is left out
   * @param mode {@code enforce} or {@code shadow}; the same as before if it is left out
   * @return the policy; 404 if there is none of that name; 400 if a value is wrong
   */
  @WriteOperation
  public WebEndpointResponse<?> change(
      @Selector String policy, @Nullable String limits, @Nullable String mode) {
    ConfiguredPolicy configured = policies.find(policy);
    if (configured == null) {
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
    }
    return answer(
        policy,
        limiter -> {
          Mode newMode = mode == null ? configured.properties().mode() : mode(mode);
          if (limits != null) {
            List<Limit> parsed =
                Arrays.stream(limits.split(",", -1)).map(String::strip).map(Limit::parse).toList();
            limiters.put(limiter.policy().withLimits(parsed));
          }
          policies.setMode(policy, newMode);
          LOG.info("Policy '{}' changed by the endpoint: {}, mode {}", policy, limits, newMode);
          return new WebEndpointResponse<>(describe(Objects.requireNonNull(policies.find(policy))));
        });
  }

  private static Mode mode(String text) {
    for (Mode mode : Mode.values()) {
      if (mode.name().equalsIgnoreCase(text)) {
        return mode;
      }
    }
    throw new IllegalArgumentException("mode must be enforce or shadow, was '" + text + "'");
  }

  /**
   * Reads the environment again and applies changes of the policies.
   *
   * @return the names of the policies that have changed, under {@code changed}
   */
  @WriteOperation
  public Map<String, List<String>> refresh() {
    return Map.of("changed", refresh.refresh());
  }

  /**
   * Forgets a key: nothing is charged to it any more.
   *
   * @param policy the policy's name
   * @param key the key, such as {@code ip:192.0.2.1}
   * @param apiKey the value of an API key, instead of the key
   * @return 204; 404 if there is no such policy; 400 if the policy never has such a key; 503 if
   *     Redis is unavailable
   */
  @DeleteOperation
  public WebEndpointResponse<?> reset(
      @Selector String policy, @Nullable String key, @Nullable String apiKey) {
    ConfiguredPolicy configured = policies.find(policy);
    if (configured == null) {
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
    }
    return answer(
        policy,
        limiter -> {
          if (key == null && apiKey == null) {
            throw new IllegalArgumentException("key or apiKey must be given");
          }
          limiter.reset(keyOf(configured, key, apiKey));
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
}
