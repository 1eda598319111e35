package dev.sash;

import dev.sash.internal.Bounds;
import dev.sash.store.KeyHandle;
import dev.sash.store.Operation;
import dev.sash.store.Store;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A {@link RateLimiter} for one key, or for the one thing that it protects. In memory it neither
 * hashes nor looks up the key: keep it where it is used often.
 *
 * <pre>{@code
 * KeyLimiter ann = limiter.forKey("user:ann");
 * KeyLimiter printer = Sash.single(Limit.parse("50/s"));
 * if (printer.tryAcquire().allowed()) { … }
 * }</pre>
 *
 * <p>Shares its state with every limiter of the same store, policy name and key, and follows the
 * limiter that it was created from when a {@link LimiterRegistry} changes the policy. Thread-safe.
 */
public final class KeyLimiter {
  private final Store store;
  private final PolicyInForce inForce;
  private final String key;
  private final KeyHandle handle;

  KeyLimiter(Store store, PolicyInForce inForce, String key) {
    this.store = store;
    this.inForce = inForce;
    this.key = key;
    this.handle = store.handle(inForce.policy().name(), key);
  }

  /**
   * Acquires one permit: short for {@code tryAcquire(1)}.
   *
   * @return the decision
   */
  public Decision tryAcquire() {
    return handle.decide(Operation.ACQUIRE, inForce.limitsFor(key), 1);
  }

  /**
   * Acquires permits if they fit; see {@link RateLimiter#tryAcquire(String, long)}.
   *
   * @param permits the number of permits; 0 only peeks
   * @return the decision
   */
  public Decision tryAcquire(long permits) {
    return decide(permits == 0 ? Operation.PEEK : Operation.ACQUIRE, permits);
  }

  /**
   * The asynchronous form of {@link #tryAcquire(long)}.
   *
   * @param permits the number of permits; 0 only peeks
   * @return completes with the decision; may be complete already. Cancelling it does not withdraw
   *     the request, which may still be charged
   */
  public CompletionStage<Decision> tryAcquireAsync(long permits) {
    return decideAsync(permits == 0 ? Operation.PEEK : Operation.ACQUIRE, permits);
  }

  /**
   * Returns the state without charging anything; see {@link RateLimiter#peek}.
   *
   * @return the decision for 0 permits
   */
  public Decision peek() {
    return decide(Operation.PEEK, 0);
  }

  /**
   * Acquires permits, waiting for them if necessary; see {@link RateLimiter#acquire}.
   *
   * @param permits the number of permits
   * @param maxWait the longest time to wait, 0 or more
   * @return the decision
   * @throws InterruptedException if the thread is interrupted before or while waiting
   */
  public Decision acquire(long permits, Duration maxWait) throws InterruptedException {
    return Waiting.acquire(new Request(permits), store.clock(), maxWait);
  }

  /**
   * The asynchronous form of {@link #acquire}; see {@link RateLimiter#acquireAsync}.
   *
   * @param permits the number of permits
   * @param maxWait the longest time to wait, 0 or more
   * @return completes with the decision; if it is cancelled, permits that are acquired nevertheless
   *     are refunded
   */
  public CompletionStage<Decision> acquireAsync(long permits, Duration maxWait) {
    return Waiting.acquireAsync(new Request(permits), store.clock(), maxWait);
  }

  /**
   * Charges permits whether they fit or not; see {@link RateLimiter#charge}.
   *
   * @param permits the number of permits
   * @return the state afterwards
   */
  public Decision charge(long permits) {
    return decide(Operation.CHARGE, permits);
  }

  /**
   * Gives back permits to where a decision charged them; see {@link RateLimiter#refund(String,
   * long, Decision)}.
   *
   * @param permits the number of permits
   * @param charged the decision that charged them
   * @return the state afterwards
   */
  public Decision refund(long permits, Decision charged) {
    return decide(RateLimiter.refunding(charged), RateLimiter.refundable(charged, permits));
  }

  /** Forgets what is charged; see {@link RateLimiter#reset}. */
  public void reset() {
    decide(Operation.RESET, 0);
  }

  /**
   * Returns the policy in force.
   *
   * @return the policy
   */
  public Policy policy() {
    return inForce.policy();
  }

  private Decision decide(Operation operation, long permits) {
    Bounds.checkPermits(permits);
    return handle.decide(operation, inForce.limitsFor(key), permits);
  }

  private CompletionStage<Decision> decideAsync(Operation operation, long permits) {
    Bounds.checkPermits(permits);
    try {
      return RateLimiter.cancellable(
          store.decideAsync(operation, inForce.limitsFor(key), key, permits));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private final class Request implements Waiting.Request {
    private final long permits;

    Request(long permits) {
      this.permits = permits;
    }

    @Override
    public Decision tryAcquire() {
      return KeyLimiter.this.tryAcquire(permits);
    }

    @Override
    public CompletionStage<Decision> tryAcquireAsync() {
      return KeyLimiter.this.tryAcquireAsync(permits);
    }

    @Override
    public CompletionStage<Decision> refundAsync(Decision charged) {
      return decideAsync(RateLimiter.refunding(charged), RateLimiter.refundable(charged, permits));
    }
  }

  /** Returns the policy, without the key. */
  @Override
  public String toString() {
    return "limiter of " + policy() + " for one key";
  }
}
