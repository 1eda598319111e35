package dev.sash.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import java.lang.reflect.Field;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Keys find their own state, however many and however alike they are. */
class KeyTableTest {
  private final HandClock clock = new HandClock();

  @Test
  void everyKeyHasItsOwnState() {
    InMemoryLimiter limiter = limiter("1000000/1h");

    for (int round = 1; round <= 3; round++) {
      for (int i = 0; i < 50_000; i++) {
        assertThat(limiter.tryAcquire("key " + i, 1 + i % 7).used())
            .isEqualTo(round * (1L + i % 7));
      }
    }

    assertThat(limiter.keys()).isEqualTo(50_000);
  }

  @Test
  void stringsWithEqualHashCodesStayApartAndQuickToFind() {
    InMemoryLimiter limiter = limiter("5/1h");

    for (int round = 1; round <= 5; round++) {
      for (int i = 0; i < 1 << 14; i++) {
        String key = withTheSameHashCode(i);
        assertThat(key.hashCode()).isEqualTo(withTheSameHashCode(0).hashCode());
        assertThat(limiter.tryAcquire(key).used()).isEqualTo(round);
      }
    }

    assertThat(limiter.keys()).isEqualTo(1 << 14);
    assertThat(longestChain(limiter)).isLessThan(20);
    for (int i = 0; i < 1 << 14; i++) {
      limiter.reset(withTheSameHashCode(i));
    }
    assertThat(limiter.keys()).isZero();
  }

  @Test
  void otherKeysAreFoundWhenTheHashHasChanged() {
    InMemoryLimiter limiter = limiter("5/1h");
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
    InMemoryLimiter limiter = limiter("1/1h");

    for (int i = 0; i < 200_000; i++) {
      limiter.tryAcquire("user:" + i);
    }

    assertThat(longestChain(limiter)).isLessThan(16);
  }

  @Test
  void aKeyIsFoundByItsCharactersNotByItsObject() {
    InMemoryLimiter limiter = limiter("5/1h");

    limiter.tryAcquire(new String(new char[] {'k', 'e', 'y'}));

    assertThat(limiter.tryAcquire("key").used()).isEqualTo(2);
  }

  @Test
  void aLimitOfAMillionIsCountedOut() {
    InMemoryLimiter limiter = limiter("1000000/10s");
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

  private InMemoryLimiter limiter(String limit) {
    return InMemoryStore.builder()
        .clock(clock)
        .maxKeys(2_000_000)
        .build()
        .limiter(Policy.of("p", Limit.parse(limit)));
  }

  /** "Aa" and "BB" have the same hash code, and so has whatever is made of them. */
  private static String withTheSameHashCode(int bits) {
    StringBuilder key = new StringBuilder();
    for (int bit = 0; bit < 14; bit++) {
      key.append((bits >>> bit & 1) == 0 ? "Aa" : "BB");
    }
    return key.toString();
  }

  private static Duration micros(long micros) {
    return Duration.ofNanos(micros * 1_000);
  }

  /** Looks inside: a time would prove nothing. */
  private static int longestChain(InMemoryLimiter limiter) {
    int longest = 0;
    for (Segment segment : (Segment[]) read(limiter, "segments")) {
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

  private static Object read(Object object, String name) {
    try {
      Field field = object.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(object);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
