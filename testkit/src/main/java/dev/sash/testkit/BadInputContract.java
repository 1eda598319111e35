package dev.sash.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Bad arguments are refused with a clear message, and nothing is recorded. */
public abstract class BadInputContract extends StoreContract {
  private static final Duration HOUR = Duration.ofHours(1);

  /** For subclasses. */
  protected BadInputContract() {}

  @Test
  void refusesANullKey() {
    everyOperation(limiter("5/1s"), nothing(), 1)
        .forEach(
            operation ->
                assertThatNullPointerException()
                    .isThrownBy(operation)
                    .withMessage("key must not be null"));
  }

  @Test
  void refusesAnEmptyKey() {
    everyOperation(limiter("5/1s"), "", 1).forEach(operation -> refusesKey(operation, 0));
  }

  @TestFactory
  Stream<DynamicTest> takesKeysOf1024BytesAndRefusesLongerOnes() {
    return Stream.of("x", "é", "€", "😀", "x\u0000")
        .map(
            part ->
                DynamicTest.dynamicTest(
                    utf8(part) + " bytes a time",
                    () -> {
                      RateLimiter limiter = limiter("5/1s");
                      String filler = "y".repeat(1024 % utf8(part));
                      String longest = part.repeat(1024 / utf8(part)) + filler;
                      assertThat(utf8(longest)).isEqualTo(1024);
                      assertThat(limiter.tryAcquire(longest, 2).used()).isEqualTo(2);
                      assertThat(limiter.refund(longest, 1).used()).isEqualTo(1);
                      limiter.reset(longest);
                      assertThat(limiter.peek(longest).used()).isZero();

                      everyOperation(limiter, longest + "y", 1)
                          .forEach(operation -> refusesKey(operation, 1025));
                      everyOperation(limiter, part.repeat(1025), 1)
                          .forEach(operation -> refusesKey(operation, 1025 * utf8(part)));
                    }));
  }

  @Test
  void keysWithAnyCharactersAreDistinct() {
    RateLimiter limiter = limiter("1000/1s");
    String[] keys = {
      "a",
      "A",
      " a",
      "a ",
      "\ta",
      "a\n",
      "a\r",
      "a\r\n",
      "\u0000",
      "\u0000\u0000",
      "a\u0000",
      "{a}",
      "{a",
      "a}",
      "{}a",
      "{",
      "}",
      "{}",
      "*",
      "?",
      "[a]",
      "a:b",
      "a::b",
      "a/b",
      "a|b",
      "a,b",
      "'",
      "\"",
      "\\",
      "\\n",
      "%00",
      "é",
      "e\u0301",
      "ß",
      "SS",
      "ı",
      "i",
      "İ",
      "😀",
      "😁",
      "👩\u200D👧",
      "👩",
      "\u202Ea",
      "\uFEFFa",
      "\uFFFD",
      "\uFFFF",
      "\uD800",
      "\uD801",
      "\uDBFF",
      "\uDC00",
      "\uDFFF",
      "\uD800\uD800",
      "\uDC00\uD800",
      "a\uD800",
      "\uD800a",
      "x\uD83D",
      "x\uD83D?",
      "x?",
      "null",
      "0",
      "-1",
    };
    for (int i = 0; i < keys.length; i++) {
      limiter.tryAcquire(keys[i], i + 1);
    }
    for (int i = 0; i < keys.length; i++) {
      assertThat(limiter.peek(keys[i]).used()).as("key number %d", i).isEqualTo(i + 1);
    }
    limiter.reset(keys[0]);
    assertThat(limiter.peek(keys[0]).used()).isZero();
    assertThat(limiter.peek(keys[1]).used()).isEqualTo(2);
  }

  @TestFactory
  Stream<DynamicTest> refusesPermitsOutOfBoundsAndRecordsNothing() {
    return onEveryAlgorithm(
        limiter -> {
          Decision before = limiter.tryAcquire("k", 4);
          for (long permits :
              new long[] {-1, Long.MIN_VALUE, Integer.MIN_VALUE, 1_000_000_001, Long.MAX_VALUE}) {
            for (String key : List.of("k", "new")) {
              operationsWithPermits(limiter, key, permits)
                  .forEach(
                      operation ->
                          assertThatIllegalArgumentException()
                              .isThrownBy(operation)
                              .withMessage(
                                  "permits must be between 0 and 1000000000, was %d", permits));
            }
          }
          assertThat(limiter.peek("k")).isEqualTo(before);
          assertThat(limiter.peek("new").used()).isZero();
          assertThat(limiter.tryAcquire("k", 1_000_000_000).neverAllowed()).isTrue();
          assertThat(limiter.refund("new", 1_000_000_000).used()).isZero();
        });
  }

  @Test
  void refusesWaitsThatAreNegative() {
    RateLimiter limiter = limiter("5/1s");
    for (Duration wait : List.of(Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> limiter.acquire("k", 1, wait))
          .withMessage("maxWait must be 0 or more, was %s", wait);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> limiter.acquireAsync("k", 1, wait))
          .withMessage("maxWait must be 0 or more, was %s", wait);
    }
    assertThatNullPointerException()
        .isThrownBy(() -> limiter.acquire("k", 1, nothing()))
        .withMessage("maxWait must not be null");
    assertThatNullPointerException()
        .isThrownBy(() -> limiter.acquireAsync("k", 1, nothing()))
        .withMessage("maxWait must not be null");
    assertThat(limiter.peek("k").used()).isZero();
  }

  @Test
  void refusesANullListener() {
    RateLimiter limiter = limiter("5/1s");
    assertThatNullPointerException()
        .isThrownBy(() -> limiter.withListener(nothing()))
        .withMessage("listener must not be null");
  }

  private static void refusesKey(ThrowingCallable operation, int bytes) {
    assertThatIllegalArgumentException()
        .isThrownBy(operation)
        .withMessage("key must be between 1 and 1024 bytes of UTF-8, was %d bytes", bytes);
  }

  private static List<ThrowingCallable> everyOperation(
      RateLimiter limiter, String key, long permits) {
    List<ThrowingCallable> operations =
        new ArrayList<>(operationsWithPermits(limiter, key, permits));
    operations.add(() -> limiter.tryAcquire(key));
    operations.add(() -> limiter.peek(key));
    operations.add(() -> limiter.reset(key));
    operations.add(() -> limiter.resetAsync(key));
    operations.add(() -> limiter.inspect(key));
    operations.add(() -> limiter.inspectAsync(key));
    operations.add(() -> limiter.forKey(key));
    return operations;
  }

  private static List<ThrowingCallable> operationsWithPermits(
      RateLimiter limiter, String key, long permits) {
    return List.of(
        () -> limiter.tryAcquire(key, permits),
        () -> limiter.tryAcquireAsync(key, permits),
        () -> limiter.refund(key, permits),
        () -> limiter.refundAsync(key, permits),
        () -> limiter.charge(key, permits),
        () -> limiter.chargeAsync(key, permits),
        () -> limiter.acquire(key, permits, HOUR),
        () -> limiter.acquireAsync(key, permits, HOUR));
  }

  private static int utf8(String text) {
    return text.getBytes(UTF_8).length;
  }
}
