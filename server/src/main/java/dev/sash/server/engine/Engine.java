package dev.sash.server.engine;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.config.Configuration;
import dev.sash.config.policy.Mode;
import dev.sash.config.policy.PolicyConfig;
import dev.sash.server.override.OverrideLookup;
import dev.sash.server.statistics.Statistics;
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
 * Decides requests over HTTP, Envoy's protocol and RESP by the current configuration. Thread-safe;
 * with Redis, results arrive on an I/O thread, which must not be blocked.
 *
 * <p>A policy's counts live as long as its name is configured: another configuration takes effect
 * from the next request on, and forgets nothing.
 */
public final class Engine {
  /** No policy has a longer one. */
  private static final Duration LONGEST_DEADLINE = Duration.ofMinutes(1);

  private static final String AD_HOC = "ad-hoc";

  /** Rule and deadline are the defaults; the limit never decides. */
  private static final PolicyConfig AD_HOC_CONFIG =
      PolicyConfig.of(
          Policy.internal(AD_HOC).withLimit(Limit.slidingLog(1, Duration.ofMinutes(1))));

  private final Store store;

  /** The same store, for limits whose denials do not hold. */
  private final Store shadowStore;

  private final @Nullable Statistics statistics;
  private final RateLimiter adHoc;
  private final String storeName;
  private final OverrideLookup overrides;
  private volatile Active active;

  /** A configuration in force. */
  private record Active(Configuration configuration, Map<String, ActivePolicy> policies) {}

  /**
   * Creates an engine without statistics and overrides.
   *
   * @param store keeps the state; not closed by the engine
   * @param storeName the kind of store, such as {@code memory} or {@code redis}
   * @param configuration the policies
   */
  public Engine(Store store, String storeName, Configuration configuration) {
    this(store, storeName, configuration, null, OverrideLookup.NONE);
  }

  /**
   * Creates an engine.
   *
   * @param store keeps the state; not closed by the engine
   * @param storeName the kind of store, such as {@code memory} or {@code redis}
   * @param configuration the policies
   * @param statistics records what is decided, over all protocols; null if nothing does
   * @param overrides what applies to single keys instead of a policy's limits
   */
  public Engine(
      Store store,
      String storeName,
      Configuration configuration,
      @Nullable Statistics statistics,
      OverrideLookup overrides) {
    Objects.requireNonNull(store, "store must not be null");
    this.overrides = Objects.requireNonNull(overrides, "overrides must not be null");
    this.statistics = statistics;
    this.store = statistics == null ? store : new RecordingStore(store, statistics, false);
    this.shadowStore = statistics == null ? store : new RecordingStore(store, statistics, true);
    this.storeName = Objects.requireNonNull(storeName, "storeName must not be null");
    this.adHoc = this.store.limiter(AD_HOC_CONFIG.policy());
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
                policies.put(name, new ActivePolicy(config, limiter(config), statistics)));
    return new Active(configuration, policies);
  }

  private RateLimiter limiter(PolicyConfig config) {
    return limiter(config.policy(), config.mode() == Mode.SHADOW);
  }

  /**
   * Spends permits, if they fit.
   *
   * @param request the request; 0 permits only peek
   * @return completes with the answer
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if the request is invalid; the message says why
   */
  public CompletionStage<CheckResult> check(CheckRequest request) {
    return check(request, LONGEST_DEADLINE);
  }

  /**
   * Spends permits, if they fit, for a caller that does not wait long.
   *
   * @param request the request; 0 permits only peek
   * @param deadline the longest time to wait for a remote store, if that is less than the policy's
   * @return completes with the answer
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if the request is invalid; the message says why
   */
  public CompletionStage<CheckResult> check(CheckRequest request, Duration deadline) {
    return charge(request, deadline).tryAcquire();
  }

  /**
   * Acquires permits under several policies, all or nothing: when one denies, the others end
   * uncharged, except those with {@code charge: always}.
   *
   * @param requests the request as each policy sees it
   * @return completes with an answer of each policy, in the same order; the request is admitted if
   *     all of them allow it
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if one of them is invalid; the message says why
   */
  public CompletionStage<List<CheckResult>> checkAll(List<CheckRequest> requests) {
    List<PolicyCharge> charges = new ArrayList<>(requests.size());
    for (CheckRequest request : requests) {
      charges.add(charge(request));
    }
    return AllOrNothing.tryAcquire(charges)
        .thenApply(
            decisions -> {
              List<CheckResult> answers = new ArrayList<>(charges.size());
              for (int i = 0; i < charges.size(); i++) {
                answers.add(charges.get(i).answer(decisions.get(i)));
              }
              return answers;
            });
  }

  /**
   * Gives back permits.
   *
   * @param request the key and the permits
   * @return completes with the key's state afterwards
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if the request is invalid; the message says why
   */
  public CompletionStage<CheckResult> refund(CheckRequest request) {
    return refund(request, null, LONGEST_DEADLINE);
  }

  /**
   * Gives back permits to where they were charged.
   *
   * @param request the key and the permits
   * @param charged the decision that charged them; null for the store
   * @param deadline the longest time to wait for a remote store, if that is less than the policy's
   * @return completes with the state of the key afterwards
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if the request is invalid; the message says why
   */
  public CompletionStage<CheckResult> refund(
      CheckRequest request, @Nullable Decision charged, Duration deadline) {
    PolicyCharge charge = charge(request, deadline);
    return (charged == null ? charge.refund() : charge.refund(charged)).thenApply(charge::answer);
  }

  /**
   * Returns what a request would receive now, with {@linkplain Decision#usages details} of each
   * limit that is consulted. Charges nothing.
   *
   * @param request the request
   * @return completes with the answer, or exceptionally if the store does not respond
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if the request is invalid; the message says why
   */
  public CompletionStage<CheckResult> explain(CheckRequest request) {
    return charge(request).explain();
  }

  /**
   * Forgets a key.
   *
   * @param request the key; its permits do not matter
   * @return completes when it is forgotten, or exceptionally if the store does not answer
   * @throws UnknownPolicyException if there is no such policy
   */
  public CompletionStage<Void> reset(CheckRequest request) {
    return charge(request).reset();
  }

  /**
   * Returns a limiter beside the configured policies, for requests that carry their own limits: to
   * be used {@linkplain RateLimiter#withLimits with} those.
   *
   * @param policy an {@linkplain Policy#internal internal} policy: its name, rule and deadline
   * @return the limiter
   */
  public RateLimiter limiter(Policy policy) {
    return limiter(policy, false);
  }

  /**
   * Returns a limiter beside the configured policies, as {@link #limiter(Policy)}.
   *
   * @param policy an {@linkplain Policy#internal internal} policy: its name, rule and deadline
   * @param shadow whether requests that it denies are admitted all the same, for statistics
   * @return the limiter
   */
  public RateLimiter limiter(Policy policy, boolean shadow) {
    return (shadow ? shadowStore : store).limiter(policy);
  }

  /**
   * Returns the statistics of what is decided.
   *
   * @return null if there are none
   */
  public @Nullable Statistics statistics() {
    return statistics;
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

  PolicyCharge charge(CheckRequest request) {
    return charge(request, LONGEST_DEADLINE);
  }

  private PolicyCharge charge(CheckRequest request, Duration deadline) {
    String name = request.policy();
    if (name == null) {
      return adHocCharge(request);
    }
    ActivePolicy policy = active.policies.get(name);
    if (policy == null) {
      throw new UnknownPolicyException(name);
    }
    return policy.charge(request, deadline, overrides);
  }

  /** Requests with the same key and the same windows and algorithms share their counts. */
  private PolicyCharge adHocCharge(CheckRequest request) {
    if (!configuration().adHocLimits()) {
      throw new NotPermittedException(
          "limits must not be given: the configuration does not permit ad-hoc limits");
    }
    List<Limit> limits = Objects.requireNonNull(request.limits());
    String key = Objects.requireNonNull(request.key());
    long permits = request.permits() == null ? 1 : request.permits();
    return new PolicyCharge(
        AD_HOC, AD_HOC_CONFIG, adHoc.withLimits(limits), limits, key, permits, null, null, null);
  }
}
