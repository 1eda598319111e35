package dev.sash.server.engine;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.config.Configuration;
import dev.sash.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides by the configuration in force. What is asked over HTTP, Envoy's protocol or RESP ends
 * here. Thread-safe; answers on Redis come on an I/O thread, which must not be blocked.
 *
 * <p>A policy's counts live as long as its name is configured: another configuration takes effect
 * from the next question on, and forgets nothing.
 */
public final class Engine {
  /** No policy has a longer one. */
  private static final Duration LONGEST_DEADLINE = Duration.ofMinutes(1);

  private final Store store;
  private final String storeName;
  private volatile Active active;

  /** A configuration in force. */
  private record Active(Configuration configuration, Map<String, ActivePolicy> policies) {}

  /**
   * Creates an engine.
   *
   * @param store keeps the state; not closed by the engine
   * @param storeName the kind of store, such as {@code memory} or {@code redis}
   * @param configuration the policies
   */
  public Engine(Store store, String storeName, Configuration configuration) {
    this.store = Objects.requireNonNull(store, "store must not be null");
    this.storeName = Objects.requireNonNull(storeName, "storeName must not be null");
    this.active = activated(configuration);
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
  public void apply(Configuration configuration) {
    active = activated(configuration);
  }

  private Active activated(Configuration configuration) {
    Map<String, ActivePolicy> policies = new LinkedHashMap<>();
    configuration
        .policies()
        .forEach(
            (name, config) ->
                policies.put(name, new ActivePolicy(config, store.limiter(config.policy()))));
    return new Active(configuration, policies);
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
    return check(question, LONGEST_DEADLINE);
  }

  /**
   * Spends permits, if they fit, for a caller that does not wait long.
   *
   * @param question who asks for what; 0 permits only look
   * @param deadline the longest time to wait for a remote store, if that is less than the policy's
   * @return completes with the answer
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if the question cannot be answered; it says why
   */
  public CompletionStage<Answer> check(Question question, Duration deadline) {
    return charge(question, deadline).tryAcquire();
  }

  /**
   * Acquires permits under several policies, all or nothing: when one denies, the others end
   * uncharged.
   *
   * @param questions the request as each policy sees it
   * @return completes with an answer of each policy, in the same order; the request is admitted if
   *     all of them allow it
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if one of them cannot be answered; it says why
   */
  public CompletionStage<List<Answer>> checkAll(List<Question> questions) {
    List<PolicyCharge> charges = new ArrayList<>(questions.size());
    for (Question question : questions) {
      charges.add(charge(question));
    }
    return AllOrNothing.tryAcquire(charges)
        .thenApply(
            decisions -> {
              List<Answer> answers = new ArrayList<>(charges.size());
              for (int i = 0; i < charges.size(); i++) {
                answers.add(charges.get(i).answer(decisions.get(i)));
              }
              return answers;
            });
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
    return refund(question, null, LONGEST_DEADLINE);
  }

  /**
   * Gives back permits to where they were charged.
   *
   * @param question the key and the permits
   * @param charged the decision that charged them; null for the store
   * @param deadline the longest time to wait for a remote store, if that is less than the policy's
   * @return completes with the state of the key afterwards
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if the question cannot be answered; it says why
   */
  public CompletionStage<Answer> refund(
      Question question, @Nullable Decision charged, Duration deadline) {
    PolicyCharge charge = charge(question, deadline);
    return (charged == null ? charge.refund() : charge.refund(charged)).thenApply(charge::answer);
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
   * Returns a limiter beside the configured policies, for requests that carry their own limits: to
   * be used {@linkplain RateLimiter#withLimits with} those.
   *
   * @param policy an {@linkplain Policy#internal internal} policy: its name, rule and deadline
   * @return the limiter
   */
  public RateLimiter limiter(Policy policy) {
    return store.limiter(policy);
  }

  /**
   * Returns whether the store decides, and not failure rules.
   *
   * @return as {@link Store#isUp}
   */
  public boolean isStoreUp() {
    return store.isUp();
  }

  /**
   * Returns the kind of store.
   *
   * @return {@code memory} or {@code redis}
   */
  public String storeName() {
    return storeName;
  }

  PolicyCharge charge(Question question) {
    return charge(question, LONGEST_DEADLINE);
  }

  private PolicyCharge charge(Question question, Duration deadline) {
    return policy(question).charge(question, deadline);
  }

  private ActivePolicy policy(Question question) {
    ActivePolicy policy = active.policies.get(question.policy());
    if (policy == null) {
      throw new UnknownPolicyException(question.policy());
    }
    return policy;
  }
}
