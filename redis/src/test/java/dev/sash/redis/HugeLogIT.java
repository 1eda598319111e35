package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Decisions;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.Schedule.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A log of a million records keeps nobody waiting: no call takes Redis more than 5 ms. The machine
 * may do something else during any call; what happens once in sixty calls or so, or on each of
 * several copies of the log, is Redis' own.
 */
class HugeLogIT {
  private static final int RECORDS = 1_000_000;
  private static final int AT_ONCE = 10_000;
  private static final String MOST_MICROS = "5000";
  private static final Duration WINDOW = Duration.ofHours(1);

  private final LocalRedis redis = LocalRedis.get();
  private final ManualClock clock = new ManualClock(1_000_000);
  private final Policy policy = Policy.of("huge", Limit.slidingLog(1_000_000_000, WINDOW));
  private final ScriptStore store = new ScriptStore(clock);
  private final RateLimiter limiter = store.limiter(policy);

  @BeforeEach
  void watch() {
    command("CONFIG", "SET", "slowlog-log-slower-than", MOST_MICROS);
    command("CONFIG", "SET", "slowlog-max-len", "100000");
    command("SLOWLOG", "RESET");
  }

  @AfterEach
  void forget() {
    limiter.reset("k");
    copies().forEach(limiter::reset);
    command("CONFIG", "SET", "slowlog-log-slower-than", "10000");
  }

  @Test
  void nothingTakesLong() {
    fill();
    assertThat(slowCalls()).isLessThan(RECORDS / 100);
    copies().forEach(copy -> command("COPY", name("k"), name(copy)));
    long filled = clock.micros();

    List<Long> slowCalls = new ArrayList<>();
    for (String copy : copies()) {
      clock.setMicros(filled);
      command("SLOWLOG", "RESET");
      use(copy);
      slowCalls.add(slowCalls());
    }
    assertThat(slowCalls).contains(0L);
  }

  private void use(String key) {
    assertThat(limiter.peek(key).used()).isEqualTo(RECORDS);
    assertThat(limiter.inspect(key).usages().get(0).records()).isEqualTo(RECORDS);
    assertThat(limiter.tryAcquire(key, 700_000_000).used()).as("weighted").isEqualTo(701_000_000);
    assertThat(limiter.tryAcquire(key, 299_500_000).allowed()).isFalse();
    assertThat(limiter.refund(key, 700_300_000).used()).isEqualTo(700_000);
    assertThat(limiter.tryAcquire(key).used()).isEqualTo(700_001);
    clock.advance(WINDOW.minusMillis(500));
    assertThat(limiter.tryAcquire(key).used()).as("many expired").isBetween(1L, 700_002L);
    clock.advance(WINDOW.multipliedBy(2));
    assertThat(limiter.tryAcquire(key).used()).as("all expired").isEqualTo(1);
  }

  private static List<String> copies() {
    return List.of("first copy", "second copy", "third copy");
  }

  private String name(String key) {
    return store.namesOf(policy, key)[0];
  }

  private long slowCalls() {
    return (Long) command("SLOWLOG", "LEN");
  }

  private void fill() {
    for (int from = 0; from < RECORDS; from += AT_ONCE) {
      long begin = clock.micros();
      List<Step> steps =
          IntStream.range(0, AT_ONCE).mapToObj(i -> acquire(i, begin + i + 1)).toList();
      store.decide(clock, steps);
    }
  }

  private Step acquire(int number, long clockMicros) {
    ResolvedLimits limits = new ResolvedLimits(policy, policy.limits());
    Decision unknown = Decisions.allowed(policy.limits().get(0), 0, 0, 0, Source.STORE);
    return new Step(number, clockMicros, Operation.ACQUIRE, limits, "k", 1, unknown);
  }

  private Object command(String... words) {
    Object reply = redis.call(LocalRedis.words(words));
    assertThat(reply).isNotNull();
    return reply;
  }
}
