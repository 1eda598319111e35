package dev.sash.store;

import dev.sash.Decision;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Keeps what is charged to keys, and decides. A store implements {@link #decide}; everything else
 * has a default. Its behaviour is specified by the decision contract, which {@code sash-testkit}
 * holds as abstract test classes.
 *
 * <p>State belongs to the policy's <em>name</em>, the key and the {@linkplain
 * dev.sash.Limit#sharesStateWith kind} of limit. A request reads and changes the state of its own
 * limits only, all of them in one atomic step.
 *
 * <p>A decorator is a store around another one, with one job; see {@link StoreDecorator}. A request
 * passes through them in this order, of which every part is optional:
 *
 * <pre>
 * RateLimiter → {@link ListeningStore} → metering, observation → {@link DenyCache} → {@link FailureRules}
 *             → {@link CircuitBreakers} → the store
 * </pre>
 *
 * <p>Implementations are thread-safe. {@link RateLimiter} has checked keys and permits.
 */
public interface Store extends AutoCloseable {
  /**
   * Performs an operation on a key and returns the resulting decision, in one atomic step.
   *
   * @param operation what to do
   * @param limits the limits to decide by
   * @param key 1 to 1024 bytes of UTF-8
   * @param permits 0 to 10⁹; 0 unless the operation is about permits
   * @return the decision
   * @throws StoreException if the store cannot decide
   */
  Decision decide(Operation operation, ResolvedLimits limits, String key, long permits);

  /**
   * The asynchronous twin of {@link #decide}. Never throws: errors arrive through the stage.
   *
   * @param operation what to do
   * @param limits the limits to decide by
   * @param key 1 to 1024 bytes of UTF-8
   * @param permits 0 to 10⁹; 0 unless the operation is about permits
   * @return completes with the decision, or with a {@link StoreException}; may be complete already
   */
  default CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    try {
      return CompletableFuture.completedFuture(decide(operation, limits, key, permits));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Returns the clock on which callers wait for permits. Decisions may be dated by another one,
   * such as that of a remote server.
   *
   * @return {@link MicroClock#system} by default
   */
  default MicroClock clock() {
    return MicroClock.system();
  }

  /**
   * Returns a handle that decides about one key, faster than by looking the key up every time if
   * the store can.
   *
   * @param policy the policy's name
   * @param key 1 to 1024 bytes of UTF-8
   * @return the handle
   */
  default KeyHandle handle(String policy, String key) {
    return (operation, limits, permits) -> decide(operation, limits, key, permits);
  }

  /**
   * Returns whether the store decides, as far as is known from recent requests: for health checks.
   *
   * @return false while failure rules decide, for all keys or some; true by default
   */
  default boolean isUp() {
    return true;
  }

  /**
   * Returns a limiter for a policy. Limiters of one policy name share their state, whatever their
   * limits: to change limits, create another limiter, or use a {@link dev.sash.LimiterRegistry}.
   *
   * @param policy the limits, and how to decide while the store is unavailable
   * @return the limiter
   * @throws IllegalArgumentException if the policy has neither limits nor tiers
   */
  default RateLimiter limiter(Policy policy) {
    return new RateLimiter(this, policy);
  }

  /** Releases what the store holds. Does nothing by default. */
  @Override
  default void close() {}
}
