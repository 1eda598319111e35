package dev.sash;

import java.time.Duration;
import java.util.List;
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
 * <p>Denial is a value. Exceptions are for bad arguments, and then nothing is recorded: a key is 1
 * to 1024 bytes of UTF-8 with any characters, permits are 0 to 10⁹. Implementations are
 * thread-safe; checking and recording are one atomic step.
 */
public interface RateLimiter {
  /**
   * Spends permits if they fit under every limit of the policy, and nothing otherwise.
   *
   * @param key who spends
   * @param permits how many; 0 only looks
   * @return the decision
   */
  Decision tryAcquire(String key, long permits);

  /**
   * {@link #tryAcquire(String, long)} that does not block the caller.
   *
   * @param key who spends
   * @param permits how many; 0 only looks
   * @return completes with the decision; may be complete already
   */
  CompletionStage<Decision> tryAcquireAsync(String key, long permits);

  /**
   * Gives back up to that many of the most recent permits, never more than are charged.
   *
   * @param key who spent them
   * @param permits how many
   * @return the key's state afterwards, as {@link #peek} tells it
   */
  Decision refund(String key, long permits);

  /**
   * {@link #refund} that does not block the caller.
   *
   * @param key who spent them
   * @param permits how many
   * @return completes with the key's state afterwards; may be complete already
   */
  CompletionStage<Decision> refundAsync(String key, long permits);

  /**
   * Forgets the key: it starts afresh.
   *
   * @param key who
   */
  void reset(String key);

  /**
   * {@link #reset} that does not block the caller.
   *
   * @param key who
   * @return completes when the key is forgotten; may be complete already
   */
  CompletionStage<Void> resetAsync(String key);

  /**
   * The policy in force.
   *
   * @return as given, or as last changed
   */
  Policy policy();

  /**
   * Puts other limits in force, from the next decision on. What is charged already counts under
   * limits that differ only in permits: a lower limit applies to it, a higher one frees room at
   * once. A limit with another window, algorithm or cells starts with nothing charged.
   *
   * @param policy has the same name
   */
  void changePolicy(Policy policy);

  /**
   * The clock on which {@link #acquire} and {@link #acquireAsync} wait.
   *
   * @return the clock
   */
  MicroClock clock();

  /**
   * Short for {@code tryAcquire(key, 1)}.
   *
   * @param key who spends
   * @return the decision
   */
  default Decision tryAcquire(String key) {
    return tryAcquire(key, 1);
  }

  /**
   * Looks without spending: short for {@code tryAcquire(key, 0)}.
   *
   * @param key who
   * @return the decision for 0 permits
   */
  default Decision peek(String key) {
    return tryAcquire(key, 0);
  }

  /**
   * Spends permits, waiting for them if need be: exactly as long as {@link Decision#retryAfter}
   * says, then it tries again, until it is admitted or would have to wait beyond {@code maxWait}.
   * It then returns the denial at once, without having waited in vain or spent anything.
   *
   * @param key who spends
   * @param permits how many
   * @param maxWait the longest to wait, 0 or more
   * @return the decision
   * @throws InterruptedException if the thread is interrupted before or while waiting; nothing is
   *     spent then
   */
  default Decision acquire(String key, long permits, Duration maxWait) throws InterruptedException {
    return Waiting.acquire(this, key, permits, maxWait);
  }

  /**
   * {@link #acquire} without a thread that waits.
   *
   * @param key who spends
   * @param permits how many
   * @param maxWait the longest to wait, 0 or more
   * @return completes with the decision, on another thread if it had to wait; a future that is
   *     cancelled spends nothing
   */
  default CompletionStage<Decision> acquireAsync(String key, long permits, Duration maxWait) {
    return Waiting.acquireAsync(this, key, permits, maxWait);
  }

  /**
   * This limiter with other limits, for callers who know what holds for a request better than a
   * function of its key does: those of the plan that came with it, or limits of its own.
   *
   * <p>Keys are the same on both: what is charged here counts there under limits that differ only
   * in permits. In memory a key has one set of limits at a time, and asking about it under a limit
   * with another window, algorithm or cells forgets what was charged under the former; a remote
   * store keeps both.
   *
   * @param limits hold for every key in place of the policy's own and of its tiers; at least one
   * @return a limiter that shares this one's state; cheap to make. Its {@link #policy} has these
   *     limits, and to change it changes this limiter's and leaves the limits as they are
   */
  RateLimiter under(List<Limit> limits);

  /**
   * This limiter, with a listener that hears every decision asked of what is returned.
   *
   * @param listener hears
   * @return a limiter that shares this one's state
   */
  default RateLimiter listenedBy(DecisionListener listener) {
    return new ListenedLimiter(this, listener);
  }
}
