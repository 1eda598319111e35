package dev.sash;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@link RateLimiter#listenedBy}. */
final class ListenedLimiter implements RateLimiter {
  private static final Logger LOG = LoggerFactory.getLogger(ListenedLimiter.class);

  private final RateLimiter limiter;
  private final DecisionListener listener;
  private final AtomicBoolean failed = new AtomicBoolean();

  ListenedLimiter(RateLimiter limiter, DecisionListener listener) {
    this.limiter = limiter;
    this.listener = Objects.requireNonNull(listener, "listener must not be null");
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    Decision decision = limiter.tryAcquire(key, permits);
    tell(key, permits, decision);
    return decision;
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    return limiter
        .tryAcquireAsync(key, permits)
        .thenApply(
            decision -> {
              tell(key, permits, decision);
              return decision;
            });
  }

  @Override
  public Decision refund(String key, long permits) {
    return limiter.refund(key, permits);
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    return limiter.refundAsync(key, permits);
  }

  @Override
  public void reset(String key) {
    limiter.reset(key);
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    return limiter.resetAsync(key);
  }

  @Override
  public Policy policy() {
    return limiter.policy();
  }

  @Override
  public void changePolicy(Policy policy) {
    limiter.changePolicy(policy);
  }

  @Override
  public MicroClock clock() {
    return limiter.clock();
  }

  @Override
  public RateLimiter under(List<Limit> limits) {
    return new ListenedLimiter(limiter.under(limits), listener);
  }

  private void tell(String key, long permits, Decision decision) {
    try {
      listener.onDecision(limiter.policy(), key, permits, decision);
    } catch (RuntimeException e) {
      if (failed.compareAndSet(false, true)) {
        LOG.warn(
            "listener of policy '{}' failed; later failures are not logged", policy().name(), e);
      }
    }
  }
}
