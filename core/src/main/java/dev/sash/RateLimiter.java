package dev.sash;

import dev.sash.internal.Bounds;
import dev.sash.store.ListeningStore;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Answers, for one {@link Policy}: may this key spend n permits now, and if not, when?
 *
 * <pre>{@code
 * Decision decision = limiter.tryAcquire("user:42");
 * if (!decision.allowed()) {
 *   return tooManyRequests(decision.retryAfter());
 * }
 * }</pre>
 *
 * <p>A limiter is a small front for a {@link Store}, which keeps the state and decides; {@link
 * Store#limiter} creates one. Limiters of one store and one policy name share their state.
 *
 * <p>Denial is a value. Exceptions are for bad arguments, and then nothing is recorded: a key is 1
 * to 1024 bytes of UTF-8 with any characters, permits are 0 to 10⁹. Asynchronous methods throw
 * those too; whatever else goes wrong arrives through the stage. Checking and recording are one
 * atomic step. Thread-safe.
 */
public final class RateLimiter {
  private final Store store;
  private final PolicyInForce inForce;

  /**
   * Creates a limiter; {@link Store#limiter} is the usual way.
   *
   * @param store keeps the state and decides
   * @param policy the limits, and how to decide while the store is unavailable
   * @throws IllegalArgumentException if the policy has neither limits nor tiers
   */
  public RateLimiter(Store store, Policy policy) {
    this(Objects.requireNonNull(store, "store must not be null"), new PolicyInForce(policy));
  }

  RateLimiter(Store store, PolicyInForce inForce) {
    this.store = store;
    this.inForce = inForce;
  }

  /**
   * Acquires one permit: short for {@code tryAcquire(key, 1)}.
   *
   * @param key the key to charge
   * @return the decision
   */
  public Decision tryAcquire(String key) {
    Bounds.checkKey(key);
    return store.decide(Operation.ACQUIRE, inForce.limitsFor(key), key, 1);
  }

  /**
   * Acquires permits if they fit under every limit of the policy, and nothing otherwise.
   *
   * @param key the key to charge
   * @param permits the number of permits; 0 only peeks
   * @return the decision
   */
  public Decision tryAcquire(String key, long permits) {
    return decide(acquiring(permits), key, permits);
  }

  /**
   * The asynchronous form of {@link #tryAcquire(String, long)}.
   *
   * @param key the key to charge
   * @param permits the number of permits; 0 only peeks
   * @return completes with the decision; may be complete already. Cancelling it does not withdraw
   *     the request, which may still be charged
   */
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    return decideAsync(acquiring(permits), key, permits);
  }

  /**
   * Returns the state of a key without charging it: the decision for 0 permits.
   *
   * @param key the key to look at
   * @return the decision
   */
  public Decision peek(String key) {
    return decide(Operation.PEEK, key, 0);
  }

  /**
   * Acquires permits, waiting for them if necessary: exactly as long as {@link Decision#retryAfter}
   * says, then it tries again, until it is admitted or would have to wait beyond {@code maxWait}.
   * It then returns the denial at once, without having waited in vain or spent anything.
   *
   * @param key the key to charge
   * @param permits the number of permits
   * @param maxWait the longest time to wait, 0 or more
   * @return the decision
   * @throws InterruptedException if the thread is interrupted before or while waiting; nothing is
   *     spent then
   */
  public Decision acquire(String key, long permits, Duration maxWait) throws InterruptedException {
    return Waiting.acquire(request(key, permits), store.clock(), maxWait);
  }

  /**
   * The asynchronous form of {@link #acquire}: no thread waits.
   *
   * @param key the key to charge
   * @param permits the number of permits
   * @param maxWait the longest time to wait, 0 or more
   * @return completes with the decision, on another thread if it had to wait; if it is cancelled,
   *     permits that are acquired nevertheless are refunded
   */
  public CompletionStage<Decision> acquireAsync(String key, long permits, Duration maxWait) {
    return Waiting.acquireAsync(request(key, permits), store.clock(), maxWait);
  }

  /**
   * Charges permits whether they fit or not, for costs that are known only afterwards. {@link
   * Decision#used} may then exceed the limit, up to 2 × 10⁹; nothing more is admitted until it fits
   * again, and {@link Decision#retryAfter} says when.
   *
   * @param key the key to charge
   * @param permits the number of permits
   * @return the state of the key afterwards, as {@link #peek} returns it
   */
  public Decision charge(String key, long permits) {
    return decide(Operation.CHARGE, key, permits);
  }

  /**
   * The asynchronous form of {@link #charge}.
   *
   * @param key the key to charge
   * @param permits the number of permits
   * @return completes with the state of the key afterwards; may be complete already
   */
  public CompletionStage<Decision> chargeAsync(String key, long permits) {
    return decideAsync(Operation.CHARGE, key, permits);
  }

  /**
   * Gives back up to that many of the most recent permits that the <em>store</em> charged, never
   * more than are charged. If a failure rule may have decided, use {@link #refund(String, long,
   * Decision)}.
   *
   * @param key the key that was charged
   * @param permits the number of permits
   * @return the state of the key afterwards, as {@link #peek} returns it
   */
  public Decision refund(String key, long permits) {
    return decide(Operation.REFUND, key, permits);
  }

  /**
   * The asynchronous form of {@link #refund(String, long)}.
   *
   * @param key the key that was charged
   * @param permits the number of permits
   * @return completes with the state of the key afterwards; may be complete already
   */
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    return decideAsync(Operation.REFUND, key, permits);
  }

  /**
   * Gives back permits to where a decision charged them: the store, or the local fallback of this
   * process. What was denied, or admitted by {@link FailureRule#OPEN} without being charged, is not
   * given back to anybody.
   *
   * @param key the key that was charged
   * @param permits the number of permits
   * @param charged the decision that charged them
   * @return the state of the key afterwards, as {@link #peek} returns it
   */
  public Decision refund(String key, long permits, Decision charged) {
    return decide(refunding(charged), key, refundable(charged, permits));
  }

  /**
   * The asynchronous form of {@link #refund(String, long, Decision)}.
   *
   * @param key the key that was charged
   * @param permits the number of permits
   * @param charged the decision that charged them
   * @return completes with the state of the key afterwards; may be complete already
   */
  public CompletionStage<Decision> refundAsync(String key, long permits, Decision charged) {
    return decideAsync(refunding(charged), key, refundable(charged, permits));
  }

  /**
   * Forgets what is charged to a key under its limits.
   *
   * @param key the key to reset
   * @throws dev.sash.store.StoreException if a remote store is unavailable: the key may not have
   *     been reset
   */
  public void reset(String key) {
    decide(Operation.RESET, key, 0);
  }

  /**
   * The asynchronous form of {@link #reset}.
   *
   * @param key the key to reset
   * @return completes when the key is reset, or with a {@link dev.sash.store.StoreException}
   */
  public CompletionStage<Void> resetAsync(String key) {
    return decideAsync(Operation.RESET, key, 0).thenAccept(decision -> {});
  }

  /**
   * Returns the state of a key with {@linkplain Decision#usages details} of each limit, for support
   * and debugging.
   *
   * @param key the key to look at
   * @return the decision for 0 permits
   * @throws dev.sash.store.StoreException if a remote store is unavailable
   */
  public Decision inspect(String key) {
    return inspect(key, 0);
  }

  /**
   * Returns the decision that a request would receive now, with {@linkplain Decision#usages
   * details} of each limit. Charges nothing.
   *
   * @param key the key to look at
   * @param permits the permits of the request
   * @return the decision
   * @throws dev.sash.store.StoreException if a remote store is unavailable
   */
  public Decision inspect(String key, long permits) {
    return decide(Operation.INSPECT, key, permits);
  }

  /**
   * The asynchronous form of {@link #inspect(String)}.
   *
   * @param key the key to look at
   * @return completes with the decision, or with a {@link dev.sash.store.StoreException}
   */
  public CompletionStage<Decision> inspectAsync(String key) {
    return inspectAsync(key, 0);
  }

  /**
   * The asynchronous form of {@link #inspect(String, long)}.
   *
   * @param key the key to look at
   * @param permits the permits of the request
   * @return completes with the decision, or with a {@link dev.sash.store.StoreException}
   */
  public CompletionStage<Decision> inspectAsync(String key, long permits) {
    return decideAsync(Operation.INSPECT, key, permits);
  }

  /**
   * Returns the policy in force.
   *
   * @return the policy that the limiter was created with, or that a {@link LimiterRegistry} has
   *     changed it to
   */
  public Policy policy() {
    return inForce.policy();
  }

  /**
   * Returns a limiter for one key, which does not look the key up for every decision.
   *
   * @param key the key to charge
   * @return a limiter that shares this one's state; cheap to create, and worth keeping
   */
  public KeyLimiter forKey(String key) {
    Bounds.checkKey(key);
    return new KeyLimiter(store, inForce, key);
  }

  /**
   * Returns a key with the limits that apply to it now, to be used for one request.
   *
   * @param key the key to charge
   * @return the key; cheap to create
   * @throws IllegalStateException if no limit applies to the key
   */
  public ResolvedKey resolve(String key) {
    Bounds.checkKey(key);
    return new ResolvedKey(store, inForce.limitsFor(key), key);
  }

  /**
   * Returns this limiter with other limits for every key, instead of those of the policy and its
   * tiers: for limits that arrive with a request. What is charged under limits that differ only in
   * permits counts here too; limits of another kind neither see nor change it.
   *
   * @param limits at least one; must differ from each other in algorithm, window or cells
   * @return a limiter that shares this one's state; cheap to create
   */
  public RateLimiter withLimits(List<Limit> limits) {
    return new RateLimiter(store, policy().withoutTiers().withLimits(limits));
  }

  /**
   * Returns this limiter for callers that wait no longer than that for a remote store, whatever the
   * policy's {@linkplain Policy#withDeadline deadline} and {@linkplain Policy#withGrace grace} are:
   * its failure rule then decides. The time may be another for each request.
   *
   * @param longest more than zero
   * @return this limiter if the policy never waits longer; otherwise one that shares its state,
   *     cheap to create
   */
  public RateLimiter waitingAtMost(Duration longest) {
    Policy policy = policy();
    if (policy.longestWait().compareTo(longest) <= 0) {
      return this;
    }
    Duration deadline = policy.deadline().compareTo(longest) < 0 ? policy.deadline() : longest;
    return new RateLimiter(store, policy.withDeadline(deadline).withGrace(Duration.ZERO));
  }

  /**
   * Returns this limiter with a listener that is called after every acquisition and peek made
   * through the returned limiter.
   *
   * @param listener the listener
   * @return a limiter that shares this one's state
   */
  public RateLimiter withListener(DecisionListener listener) {
    return new RateLimiter(new ListeningStore(store, listener), inForce);
  }

  /** A request for no permits only peeks. */
  static Operation acquiring(long permits) {
    return permits == 0 ? Operation.PEEK : Operation.ACQUIRE;
  }

  /** The operation that finds what a decision charged. */
  static Operation refunding(Decision charged) {
    return charged.source() == Decision.Source.LOCAL ? Operation.REFUND_LOCAL : Operation.REFUND;
  }

  /** The permits that a decision charged, of those given: all or none. */
  static long refundable(Decision charged, long permits) {
    Bounds.checkPermits(permits);
    return switch (charged.source()) {
      case STORE, OVERFLOW, LOCAL -> charged.allowed() ? permits : 0;
      case DENY_CACHE, FAILURE_RULE -> 0;
    };
  }

  private Decision decide(Operation operation, String key, long permits) {
    Bounds.checkKey(key);
    Bounds.checkPermits(permits);
    return store.decide(operation, inForce.limitsFor(key), key, permits);
  }

  private CompletionStage<Decision> decideAsync(Operation operation, String key, long permits) {
    Bounds.checkKey(key);
    Bounds.checkPermits(permits);
    ResolvedLimits limits;
    try {
      limits = inForce.limitsFor(key);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    return cancellable(store.decideAsync(operation, limits, key, permits));
  }

  /**
   * Returns a stage that a caller may cancel: the decorators of the store count what they started
   * and must learn of every decision, whether the caller waits for it or not.
   */
  static CompletionStage<Decision> cancellable(CompletionStage<Decision> stage) {
    return stage instanceof CompletableFuture<Decision> future && !future.isDone()
        ? future.copy()
        : stage;
  }

  private Waiting.Request request(String key, long permits) {
    return new Waiting.Request() {
      @Override
      public Decision tryAcquire() {
        return RateLimiter.this.tryAcquire(key, permits);
      }

      @Override
      public CompletionStage<Decision> tryAcquireAsync() {
        return RateLimiter.this.tryAcquireAsync(key, permits);
      }

      @Override
      public CompletionStage<Decision> refundAsync(Decision charged) {
        return RateLimiter.this.refundAsync(key, permits, charged);
      }
    };
  }

  /** Returns the policy. */
  @Override
  public String toString() {
    return "limiter of " + policy();
  }
}
