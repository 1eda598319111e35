package dev.sash.micrometer;

import dev.sash.Decision;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.KeyHandle;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Counts decisions and measures the time that the store takes. */
final class MeteredStore extends StoreDecorator {
  private final Function<String, PolicyMeters> newMeters;
  private final Map<String, PolicyMeters> meters = new ConcurrentHashMap<>();

  /**
   * @param newMeters registers the meters of a policy, given its name
   */
  MeteredStore(Store store, Function<String, PolicyMeters> newMeters) {
    super(store);
    this.newMeters = newMeters;
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    PolicyMeters policy = metersOf(limits.policy().name());
    long start = policy.now();
    return policy.decided(operation, store.decide(operation, limits, key, permits), start);
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    PolicyMeters policy = metersOf(limits.policy().name());
    long start = policy.now();
    return store
        .decideAsync(operation, limits, key, permits)
        .thenApply(decision -> policy.decided(operation, decision, start));
  }

  @Override
  public KeyHandle handle(String policyName, String key) {
    PolicyMeters policy = metersOf(policyName);
    KeyHandle handle = store.handle(policyName, key);
    return (operation, limits, permits) -> {
      long start = policy.now();
      return policy.decided(operation, handle.decide(operation, limits, permits), start);
    };
  }

  /** Registers the meters before the first decision, so that monitoring sees it as a change. */
  @Override
  public RateLimiter limiter(Policy policy) {
    RateLimiter limiter = super.limiter(policy);
    metersOf(policy.name());
    return limiter;
  }

  private PolicyMeters metersOf(String policy) {
    PolicyMeters found = meters.get(policy);
    return found == null ? meters.computeIfAbsent(policy, newMeters) : found;
  }
}
