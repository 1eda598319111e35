package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sash.Decision;
import dev.sash.DecisionListener;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners are called after every decision, and cannot change one. */
@Timeout(60)
public abstract class ListenerContract extends StoreContract {
  /** Without a stack, which would fill the log. */
  private static final class FailsOnPurpose extends RuntimeException {
    private static final long serialVersionUID = 1;

    FailsOnPurpose() {
      super("a listener that fails on purpose", null, false, false);
    }
  }

  private record Call(Policy policy, String key, long permits, Decision decision) {}

  private final List<Call> calls = Collections.synchronizedList(new ArrayList<>());
  private final DecisionListener listener =
      (policy, key, permits, decision) -> calls.add(new Call(policy, key, permits, decision));

  /** For subclasses. */
  protected ListenerContract() {}

  @Test
  void isCalledWithTheRequestAndItsDecision() throws Exception {
    RateLimiter limiter = limiter("3/1s").withListener(listener);
    Policy policy = limiter.policy();

    Decision one = limiter.tryAcquire("a");
    Decision two = limiter.tryAcquire("a", 2);
    Decision denied = limiter.tryAcquire("a", 1);
    Decision never = limiter.tryAcquire("b", 4);
    Decision peeked = limiter.peek("c");
    Decision async = limiter.tryAcquireAsync("d", 2).toCompletableFuture().get();
    Decision acquired = limiter.acquire("e", 3, Duration.ZERO);
    Decision acquiredAsync =
        limiter.acquireAsync("e", 1, Duration.ZERO).toCompletableFuture().get();

    assertThat(calls)
        .containsExactly(
            new Call(policy, "a", 1, one),
            new Call(policy, "a", 2, two),
            new Call(policy, "a", 1, denied),
            new Call(policy, "b", 4, never),
            new Call(policy, "c", 0, peeked),
            new Call(policy, "d", 2, async),
            new Call(policy, "e", 3, acquired),
            new Call(policy, "e", 1, acquiredAsync));
  }

  @Test
  void isCalledForEveryAttemptOfAWait() {
    RateLimiter limiter = limiter("1/1s").withListener(listener);
    limiter.tryAcquire("k");
    CompletableFuture<Decision> waiting =
        limiter.acquireAsync("k", 1, Duration.ofHours(1)).toCompletableFuture();
    clock.advance(Duration.ofSeconds(1));

    assertThat(waiting).succeedsWithin(30, TimeUnit.SECONDS);
    assertThat(calls)
        .extracting(event -> event.decision().allowed())
        .containsExactly(true, false, true);
  }

  @Test
  void isCalledForDecisionsUnderOtherLimits() {
    RateLimiter limiter = limiter("3/1s").withListener(listener);
    Decision decision = limiter.withLimits(List.of(Limit.parse("5/1s"))).tryAcquire("k", 4);

    assertThat(decision.allowed()).isTrue();
    assertThat(calls).singleElement().extracting(Call::decision).isEqualTo(decision);
  }

  @Test
  void aFailingListenerChangesNothing() throws Exception {
    RateLimiter plain = limiter("3/1s");
    RateLimiter limiter =
        plain.withListener(
            (policy, key, permits, decision) -> {
              throw new FailsOnPurpose();
            });

    assertThat(limiter.tryAcquire("k").used()).isEqualTo(1);
    assertThat(limiter.tryAcquireAsync("k", 1).toCompletableFuture().get().used()).isEqualTo(2);
    assertThat(limiter.acquire("k", 1, Duration.ZERO).used()).isEqualTo(3);
    assertThat(limiter.acquireAsync("k", 1, Duration.ZERO).toCompletableFuture().get().allowed())
        .isFalse();
    assertThat(plain.peek("k").used()).isEqualTo(3);
  }

  @Test
  void aFailingListenerDoesNotSilenceAnother() {
    RateLimiter limiter =
        limiter("3/1s")
            .withListener(listener)
            .withListener(
                (policy, key, permits, decision) -> {
                  throw new FailsOnPurpose();
                })
            .withListener(listener);

    limiter.tryAcquire("k");

    assertThat(calls).hasSize(2);
  }

  @Test
  void isNotCalledForOtherOperations() {
    RateLimiter plain = limiter("3/1s");
    RateLimiter limiter = plain.withListener(listener);

    Decision charged = plain.tryAcquire("k", 3);
    Decision denied = plain.tryAcquire("k", 3);
    assertThat(limiter.refund("k", 1).used()).isEqualTo(2);
    assertThat(limiter.refund("k", 3, denied).used()).isEqualTo(2);
    assertThat(limiter.refund("k", 0, charged).used()).isEqualTo(2);
    assertThat(limiter.charge("k", 2).used()).isEqualTo(4);
    assertThat(limiter.inspect("k").used()).isEqualTo(4);
    limiter.reset("k");
    assertThat(plain.peek("k").used()).isZero();
    assertThat(calls).isEmpty();
  }

  @Test
  void receivesThePolicyInForce() {
    RateLimiter limiter = limiter("3/1s").withListener(listener);
    Policy changed = Policy.of(limiter.policy().name(), Limit.parse("4/1s"));

    limiters().put(changed);
    limiter.tryAcquire("k");

    assertThat(calls.get(0).policy()).isSameAs(changed);
  }

  @Test
  void isNotCalledForBadArguments() {
    RateLimiter limiter = limiter("3/1s").withListener(listener);

    assertThat(catchThrowable(() -> limiter.tryAcquire("", 1)))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(calls).isEmpty();
  }
}
