package dev.sash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.memory.InMemoryStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ResolvedKeyTest {
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicReference<List<Limit>> tier =
      new AtomicReference<>(List.of(Limit.parse("5/1m")));
  private final RateLimiter limiter =
      InMemoryStore.create()
          .limiter(
              Policy.of("api", Limit.parse("1/1m"))
                  .withTiers(
                      key -> {
                        calls.incrementAndGet();
                        return tier.get();
                      }));

  @Test
  void consultsTheTiersOnce() {
    ResolvedKey key = limiter.resolve("ann");
    Decision charged = key.tryAcquire(2);
    key.tryAcquireAsync(2).toCompletableFuture().join();
    key.refundAsync(2, charged).toCompletableFuture().join();

    assertThat(calls).hasValue(1);
    assertThat(key.limits()).containsExactly(Limit.parse("5/1m"));
    assertThat(key.policy()).isSameAs(limiter.policy());
    assertThat(key.key()).isEqualTo("ann");
    assertThat(limiter.peek("ann").used()).isEqualTo(2);
  }

  @Test
  void refundsToTheLimitsThatWereChargedAfterTheTierHasChanged() {
    ResolvedKey key = limiter.resolve("ann");
    Decision charged = key.tryAcquire(2);
    tier.set(List.of(Limit.parse("9/1h")));
    limiter.tryAcquire("ann", 3);

    Decision after = key.refundAsync(2, charged).toCompletableFuture().join();

    assertThat(after.used()).isZero();
    assertThat(limiter.peek("ann").used()).isEqualTo(3);
  }

  @Test
  void zeroPermitsOnlyPeek() {
    ResolvedKey key = limiter.resolve("ann");
    key.tryAcquire(5);

    assertThat(key.tryAcquire(0).allowed()).isTrue();
    assertThat(key.tryAcquire(1).allowed()).isFalse();
  }

  @Test
  void rejectsBadArguments() {
    ResolvedKey key = limiter.resolve("ann");

    assertThatThrownBy(() -> limiter.resolve("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> key.tryAcquire(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> key.tryAcquireAsync(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void doesNotShowTheKey() {
    assertThat(limiter.resolve("ann")).hasToString("key of api [5/1m sliding-log]");
  }
}
