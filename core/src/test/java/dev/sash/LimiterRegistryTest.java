package dev.sash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.sash.memory.InMemoryStore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LimiterRegistryTest {
  private final AtomicLong time = new AtomicLong();
  private final InMemoryStore store = InMemoryStore.builder().clock(time::get).build();
  private final LimiterRegistry limiters = new LimiterRegistry(store);

  @Test
  void changesTheLimitsOfALimiterInUse() {
    RateLimiter search = limiters.put(Policy.of("search", Limit.parse("3/1m")));
    search.tryAcquire("k", 3);
    assertThat(search.tryAcquire("k").allowed()).isFalse();

    RateLimiter changed = limiters.put(Policy.of("search", Limit.parse("5/1m")));

    assertThat(changed).isSameAs(search).isSameAs(limiters.get("search"));
    assertThat(search.tryAcquire("k", 2).used()).isEqualTo(5);
    limiters.put(Policy.of("search", Limit.parse("4/1m")));
    assertThat(search.peek("k").allowed()).isFalse();
  }

  @Test
  void listenersFollowTheChangeAndLimitsOfARequestDoNot() {
    RateLimiter search = limiters.put(Policy.of("search", Limit.parse("3/1m")));
    RateLimiter heard = search.withListener((policy, key, permits, decision) -> {});
    RateLimiter given = search.withLimits(search.policy().limits());
    limiters.put(Policy.of("search", Limit.parse("5/1m")));

    assertThat(heard.tryAcquire("k", 5).allowed()).isTrue();
    assertThat(given.peek("k").limit()).isEqualTo(3);
  }

  @Test
  void knowsItsPoliciesByName() {
    limiters.put(Policy.of("b", Limit.parse("3/1m")));
    RateLimiter a = limiters.put(Policy.of("a", Limit.parse("3/1m")));

    assertThat(limiters.names()).containsExactly("a", "b");
    assertThat(limiters.get("a")).isSameAs(a);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiters.get("c"))
        .withMessage("policy must be one of [a, b], was 'c'");
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> limiters.names().remove("a"));
  }

  @Test
  void aRemovedLimiterKeepsWorking() {
    RateLimiter removed = limiters.put(Policy.of("a", Limit.parse("3/1m")));
    removed.tryAcquire("k", 2);
    limiters.remove("a");
    limiters.remove("unknown");

    assertThat(limiters.names()).isEmpty();
    assertThat(removed.tryAcquire("k").used()).isEqualTo(3);
    RateLimiter again = limiters.put(Policy.of("a", Limit.parse("4/1m")));
    assertThat(again).isNotSameAs(removed);
    assertThat(again.peek("k").used()).as("its state stays").isEqualTo(3);
    assertThat(removed.policy().limits()).containsExactly(Limit.parse("3/1m"));
  }

  @Test
  void refusesPoliciesWithoutLimitsAndChangesNothing() {
    RateLimiter a = limiters.put(Policy.of("a", Limit.parse("3/1m")));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiters.put(Policy.named("a")))
        .withMessage("policy 'a' must have a limit");
    assertThatIllegalArgumentException().isThrownBy(() -> limiters.put(Policy.named("b")));
    assertThatNullPointerException().isThrownBy(() -> limiters.put(null));
    assertThatNullPointerException().isThrownBy(() -> new LimiterRegistry(null));

    assertThat(a.policy().limits()).hasSize(1);
    assertThat(limiters.names()).containsExactly("a");
  }

  @Test
  void registriesOfOneStoreShareState() {
    RateLimiter a = limiters.put(Policy.of("a", Limit.parse("3/1m")));
    RateLimiter same = new LimiterRegistry(store).put(Policy.of("a", Limit.parse("3/1m")));
    a.tryAcquire("k", 2);

    assertThat(same.peek("k").used()).isEqualTo(2);
  }
}
