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

/** Whoever listens hears every decision, and cannot disturb one. */
@Timeout(60)
public abstract class ListenerContract extends RateLimiterContract {
  /** Without a stack, which would fill the log. */
  private static final class FailsOnPurpose extends RuntimeException {
    private static final long serialVersionUID = 1;

    FailsOnPurpose() {
      super("a listener that fails on purpose", null, false, false);
    }
  }

  private record Heard(Policy policy, String key, long permits, Decision decision) {}

  private final List<Heard> heard = Collections.synchronizedList(new ArrayList<>());
  private final DecisionListener listener =
      (policy, key, permits, decision) -> heard.add(new Heard(policy, key, permits, decision));

  /** For subclasses. */
  protected ListenerContract() {}

  @Test
  void hearsWhatWasAskedAndAnswered() throws Exception {
    RateLimiter limiter = limiter("3/1s").listenedBy(listener);
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

    assertThat(heard)
        .containsExactly(
            new Heard(policy, "a", 1, one),
            new Heard(policy, "a", 2, two),
            new Heard(policy, "a", 1, denied),
            new Heard(policy, "b", 4, never),
            new Heard(policy, "c", 0, peeked),
            new Heard(policy, "d", 2, async),
            new Heard(policy, "e", 3, acquired),
            new Heard(policy, "e", 1, acquiredAsync));
  }

  @Test
  void hearsEveryTryOfAWait() {
    RateLimiter limiter = limiter("1/1s").listenedBy(listener);
    limiter.tryAcquire("k");
    CompletableFuture<Decision> waiting =
        limiter.acquireAsync("k", 1, Duration.ofHours(1)).toCompletableFuture();
    clock.advance(Duration.ofSeconds(1));

    assertThat(waiting).succeedsWithin(30, TimeUnit.SECONDS);
    assertThat(heard)
        .extracting(event -> event.decision().allowed())
        .containsExactly(true, false, true);
  }

  @Test
  void hearsWhatIsAskedUnderOtherLimits() {
    RateLimiter limiter = limiter("3/1s").listenedBy(listener);
    Decision decision = limiter.under(List.of(Limit.parse("5/1s"))).tryAcquire("k", 4);

    assertThat(decision.allowed()).isTrue();
    assertThat(heard).singleElement().extracting(Heard::decision).isEqualTo(decision);
  }

  @Test
  void aFailingListenerChangesNothing() throws Exception {
    RateLimiter plain = limiter("3/1s");
    RateLimiter limiter =
        plain.listenedBy(
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
            .listenedBy(listener)
            .listenedBy(
                (policy, key, permits, decision) -> {
                  throw new FailsOnPurpose();
                })
            .listenedBy(listener);

    limiter.tryAcquire("k");

    assertThat(heard).hasSize(2);
  }

  @Test
  void everythingElseIsPassedThrough() {
    RateLimiter plain = limiter("3/1s");
    RateLimiter limiter = plain.listenedBy(listener);

    plain.tryAcquire("k", 3);
    assertThat(limiter.refund("k", 1).used()).isEqualTo(2);
    limiter.reset("k");
    assertThat(plain.peek("k").used()).isZero();
    limiter.changePolicy(Policy.of(plain.policy().name(), Limit.parse("4/1s")));
    assertThat(plain.policy().limits()).containsExactly(Limit.parse("4/1s"));
    assertThat(limiter.policy()).isSameAs(plain.policy());
    assertThat(limiter.clock()).isSameAs(plain.clock());
    assertThat(heard).isEmpty();
  }

  @Test
  void hearsThePolicyThatIsInForce() {
    RateLimiter limiter = limiter("3/1s").listenedBy(listener);
    Policy changed = Policy.of(limiter.policy().name(), Limit.parse("4/1s"));

    limiter.changePolicy(changed);
    limiter.tryAcquire("k");

    assertThat(heard.get(0).policy()).isSameAs(changed);
  }

  @Test
  void hearsNothingOfWhatWasRefused() {
    RateLimiter limiter = limiter("3/1s").listenedBy(listener);

    assertThat(catchThrowable(() -> limiter.tryAcquire("", 1)))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(heard).isEmpty();
  }
}
