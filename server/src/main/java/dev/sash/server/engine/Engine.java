package dev.sash.server.engine;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.config.Configuration;
import dev.sash.micrometer.SashMeters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides by the configuration in force. What is asked over HTTP, Envoy's protocol or RESP ends
 * here. Thread-safe; answers on Redis come on an I/O thread, which must not be blocked.
 *
 * <p>A policy's counts live as long as its name is configured: another configuration takes effect
 * from the next question on, and forgets nothing.
 */
public final class Engine {
  private final Store store;
  private final SashMeters meters;
  private final Map<String, RateLimiter> unconfigured = new ConcurrentHashMap<>();
  private volatile Active active;

  /** A configuration in force. */
  private record Active(Configuration configuration, Map<String, ActivePolicy> policies) {}

  /**
   * An engine.
   *
   * @param store where the state lives; closed by whoever made it
   * @param meters count decisions
   * @param configuration what is allowed
   */
  public Engine(Store store, SashMeters meters, Configuration configuration) {
    this.store = Objects.requireNonNull(store, "store must not be null");
    this.meters = Objects.requireNonNull(meters, "meters must not be null");
    this.active = new Active(configuration, activated(configuration, Map.of()));
  }

  /**
   * The configuration in force.
   *
   * @return the one given, or last {@linkplain #apply applied}
   */
  public Configuration configuration() {
    return active.configuration;
  }

  /**
   * Puts another configuration in force. What is charged under limits that differ only in permits
   * stays charged.
   *
   * @param configuration from now on
   */
  public synchronized void apply(Configuration configuration) {
    active = new Active(configuration, activated(configuration, active.policies));
  }

  private Map<String, ActivePolicy> activated(
      Configuration configuration, Map<String, ActivePolicy> former) {
    Map<String, ActivePolicy> policies = new LinkedHashMap<>();
    configuration
        .policies()
        .forEach(
            (name, config) -> {
              ActivePolicy before = former.get(name);
              RateLimiter limiter;
              if (before == null) {
                limiter = meters.instrument(store.limiter(config.policy()));
              } else {
                limiter = before.limiter();
                limiter.changePolicy(config.policy());
              }
              policies.put(name, new ActivePolicy(config, limiter));
            });
    return policies;
  }

  /**
   * Spends permits, if they fit.
   *
   * @param question who asks for what; 0 permits only look
   * @return completes with the answer
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if the question cannot be answered; it says why
   */
  public CompletionStage<Answer> check(Question question) {
    return policy(question).check(question);
  }

  /**
   * Gives back permits.
   *
   * @param question who spent how many
   * @return completes with the key's state afterwards
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if the question cannot be answered; it says why
   */
  public CompletionStage<Answer> refund(Question question) {
    return policy(question).refund(question);
  }

  /**
   * Forgets a key.
   *
   * @param question who; permits do not matter
   * @return completes when it is forgotten, or exceptionally if the store does not answer
   * @throws UnknownPolicyException if there is no such policy
   */
  public CompletionStage<Void> reset(Question question) {
    return policy(question).reset(question);
  }

  /**
   * A limiter for requests that bring limits of their own, to be asked {@linkplain
   * RateLimiter#under under} them with {@linkplain #keyUnder keys that tell them apart}. One for
   * each name; it is in no configuration, and its name had better be one that none has.
   *
   * @param policy its name, rule and deadline; its limits matter little
   * @return the limiter
   */
  public RateLimiter limiter(Policy policy) {
    return unconfigured.computeIfAbsent(
        policy.name(), name -> meters.instrument(store.limiter(policy)));
  }

  /**
   * A key of {@link #limiter} that no request with other windows or algorithms has: in memory a key
   * has one set of limits at a time, and would forget what it has spent when asked about others.
   *
   * @param key who spends
   * @param limits by which limits
   * @return the key, with what the limits count by in front
   */
  public static String keyUnder(String key, List<Limit> limits) {
    if (key.isEmpty()) {
      return key; // refused by the limiter, in its own words
    }
    StringBuilder text = new StringBuilder();
    for (Limit limit : limits) {
      text.append(limit.algorithm().id()).append('/').append(limit.windowMicros());
      if (limit.cells() > 0) {
        text.append('/').append(limit.cells());
      }
      text.append(',');
    }
    text.setCharAt(text.length() - 1, ':');
    return text.append(key).toString();
  }

  /**
   * Whether the store decides, and not failure rules.
   *
   * @return as {@link Store#isUp}
   */
  public boolean isStoreUp() {
    return store.isUp();
  }

  private ActivePolicy policy(Question question) {
    ActivePolicy policy = active.policies.get(question.policy());
    if (policy == null) {
      throw new UnknownPolicyException(question.policy());
    }
    return policy;
  }
}
