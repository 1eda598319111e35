package dev.sash.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Keys find their own state, however many and however alike they are. */
class KeyTableTest {
  private final HandClock clock = new HandClock();
  private final InMemoryStore store =
      InMemoryStore.builder().clock(clock).maxKeys(2_000_000).build();

  @Test
  void everyKeyHasItsOwnState() {
    RateLimiter limiter = limiter("1000000/1h");

    for (int round = 1; round <= 3; round++) {
      for (int i = 0; i < 50_000; i++) {
        assertThat(limiter.tryAcquire("key " + i, 1 + i % 7).used())
            .isEqualTo(round * (1L + i % 7));
      }
    }

    assertThat(store.keys()).isEqualTo(50_000);
  }

  @Test
  void stringsWithEqualHashCodesStayApartAndQuickToFind() {
    RateLimiter limiter = limiter("5/1h");

    for (int round = 1; round <= 5; round++) {
      for (int i = 0; i < 1 << 14; i++) {
        String key = withTheSameHashCode(i);
        assertThat(key.hashCode()).isEqualTo(withTheSameHashCode(0).hashCode());
        assertThat(limiter.tryAcquire(key).used()).isEqualTo(round);
      }
    }

    assertThat(store.keys()).isEqualTo(1 << 14);
    assertThat(longestChain()).isLessThan(20);
    for (int i = 0; i < 1 << 14; i++) {
      limiter.reset(withTheSameHashCode(i));
    }
    assertThat(store.keys()).isZero();
  }

  @Test
  void otherKeysAreFoundWhenTheHashHasChanged() {
    RateLimiter limiter = limiter("5/1h");
    for (int i = 0; i < 10_000; i++) {
      limiter.tryAcquire("before " + i);
    }

    for (int i = 0; i < 1 << 10; i++) {
      limiter.tryAcquire(withTheSameHashCode(i));
    }

    for (int i = 0; i < 10_000; i++) {
      assertThat(limiter.tryAcquire("before " + i).used()).isEqualTo(2);
      assertThat(limiter.tryAcquire("after " + i).used()).isEqualTo(1);
    }
  }

  @Test
  void ordinaryKeysAreSpreadEvenly() {
    RateLimiter limiter = limiter("1/1h");

    for (int i = 0; i < 200_000; i++) {
      limiter.tryAcquire("user:" + i);
    }

    assertThat(longestChain()).isLessThan(16);
  }

  @Test
  void aKeyIsFoundByItsCharactersNotByItsObject() {
    RateLimiter limiter = limiter("5/1h");

    limiter.tryAcquire(new String(new char[] {'k', 'e', 'y'}));

    assertThat(limiter.tryAcquire("key").used()).isEqualTo(2);
  }

  @Test
  void aLimitOfAMillionIsCountedOut() {
    RateLimiter limiter = limiter("1000000/10s");
    for (int i = 1; i <= 1_000_000; i++) {
      Decision decision = limiter.tryAcquire("k");
      assertThat(decision.allowed() && decision.used() == i).isTrue();
      clock.advance(3);
    }

    Decision denied = limiter.tryAcquire("k", 500_000);
    assertThat(denied.remaining()).isZero();
    assertThat(denied.retryAfter()).isEqualTo(micros(10_000_000 + 499_999 * 3L - 3_000_000));

    clock.set(10_000_000 + 499_999 * 3L);
    assertThat(limiter.peek("k").used()).isEqualTo(500_000);
    assertThat(limiter.tryAcquire("k", 500_000).remaining()).isZero();
    clock.set(10_000_000 + 999_999 * 3L);
    assertThat(limiter.peek("k").used()).isEqualTo(500_000);
    clock.set(20_000_000 + 499_999 * 3L);
    assertThat(limiter.peek("k").used()).isZero();
  }

  private RateLimiter limiter(String limit) {
    return store.limiter(Policy.of("p", Limit.parse(limit)));
  }

  /** "Aa" and "BB" have the same hash code, and so has whatever is made of them. */
  static String withTheSameHashCode(int bits) {
    StringBuilder key = new StringBuilder();
    for (int bit = 0; bit < 14; bit++) {
      key.append((bits >>> bit & 1) == 0 ? "Aa" : "BB");
    }
    return key.toString();
  }

  @Test
  void aKeyUnderSeveralKindsOfLimitsIsOneKey() {
    RateLimiter limiter = limiter("5/1s");
    List<RateLimiter> others =
        Stream.of("5/1m", "5/1h sliding-counter", "5/1h fixed-window", "5/1h token-bucket")
            .map(limit -> limiter.withLimits(List.of(Limit.parse(limit))))
            .toList();
    limiter.tryAcquire("k", 5);
    long bytes = store.bytes();
    others.forEach(other -> assertThat(other.peek("k").used()).isZero());
    assertThat(store.bytes()).as("peeks keep nothing").isEqualTo(bytes);

    others.forEach(other -> assertThat(other.tryAcquire("k", 5).allowed()).isTrue());
    assertThat(store.keys()).isOne();
    others.forEach(other -> assertThat(other.tryAcquire("k").allowed()).isFalse());
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();

    clock.set(60_000_000); // the states of the two shorter windows are idle
    long before = store.bytes();
    store.sweepAll();
    assertThat(store.bytes()).isLessThan(before);
    assertThat(store.keys()).isOne();
    assertThat(limiter.tryAcquire("k", 5).allowed()).isTrue();
    assertThat(others.get(0).tryAcquire("k", 5).allowed()).isTrue();
    assertThat(others.get(1).tryAcquire("k").allowed()).isFalse();
  }

  @Test
  void aKeyUnderSeveralLimitsTakesTheCommonPathAgainAfterAPeek() {
    Limit log = Limit.parse("5/1s");
    Limit hourly = Limit.parse("9/1h");
    ResolvedLimits limits = new ResolvedLimits(Policy.of("p", log, hourly), List.of(log, hourly));
    ResolvedLimits others = new ResolvedLimits(Policy.of("p", hourly), List.of(hourly));
    Function<ResolvedLimits, Boolean> isCommon =
        asked -> Objects.requireNonNull(onlyEntry()).isFor(asked);

    store.decide(Operation.ACQUIRE, limits, "k", 1);
    assertThat(isCommon.apply(limits)).isTrue();
    store.decide(Operation.PEEK, limits, "k", 0);
    assertThat(isCommon.apply(limits)).isTrue();
    store.decide(Operation.PEEK, others, "k", 0);
    store.decide(Operation.ACQUIRE, limits, "k", 1);
    assertThat(isCommon.apply(limits)).isTrue();
    store.decide(Operation.ACQUIRE, others, "k", 1);
    assertThat(isCommon.apply(others)).isTrue();
    assertThat(store.decide(Operation.PEEK, limits, "k", 0).used()).isEqualTo(2);
    assertThat(store.decide(Operation.PEEK, others, "k", 0).used()).isEqualTo(3);
  }

  private @Nullable Entry onlyEntry() {
    for (Segment segment : (Segment[]) read(store.table("p"), "segments")) {
      for (Entry first : (Entry[]) read(segment, "table")) {
        if (first != null) {
          return first;
        }
      }
    }
    return null;
  }

  private static Duration micros(long micros) {
    return Duration.ofNanos(micros * 1_000);
  }

  /** Looks inside: a time would prove nothing. */
  private int longestChain() {
    int longest = 0;
    for (Segment segment : (Segment[]) read(store.table("p"), "segments")) {
      for (Entry first : (Entry[]) read(segment, "table")) {
        int length = 0;
        for (Entry entry = first; entry != null; entry = entry.next) {
          length++;
        }
        longest = Math.max(longest, length);
      }
    }
    return longest;
  }

  private static Field declaring(Object object, String name) throws NoSuchFieldException {
    Class<?> type = object.getClass();
    while (Arrays.stream(type.getDeclaredFields()).noneMatch(f -> f.getName().equals(name))) {
      type = type.getSuperclass();
    }
    return type.getDeclaredField(name);
  }

  private static Object read(Object object, String name) {
    try {
      Field field = declaring(object, name);
      field.setAccessible(true);
      return field.get(object);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
