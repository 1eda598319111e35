package dev.sash.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.KeyLimiter;
import dev.sash.Limit;
import dev.sash.LimiterRegistry;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Store;
import dev.sash.testkit.ManualClock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SashMetersTest {
  private static final Limit THREE = Limit.slidingLog(3, Duration.ofSeconds(1));

  private final ManualClock clock = new ManualClock();
  private final MockClock meterClock = new MockClock();
  private final MeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, meterClock);
  private final SashMeters meters = new SashMeters(registry);
  private final InMemoryStore store = InMemoryStore.builder().clock(clock).build();

  @Test
  void countsRequestsByOutcome() {
    RateLimiter limiter = meters.instrument(store).limiter(Policy.of("api", THREE));
    limiter.tryAcquire("a", 2);
    limiter.tryAcquire("a");
    limiter.tryAcquire("a");
    limiter.tryAcquireAsync("b", 4).toCompletableFuture().join();

    assertThat(decisions("api", "allowed", "store")).isEqualTo(2);
    assertThat(decisions("api", "denied", "store")).isEqualTo(2);
  }

  @Test
  void countsRequestsUnderOtherLimitsAsThePolicys() {
    RateLimiter limiter = meters.instrument(store).limiter(Policy.of("api", THREE));
    limiter.withLimits(List.of(Limit.parse("9/1s"))).tryAcquire("a", 9);
    limiter.tryAcquire("a");

    assertThat(decisions("api", "allowed", "store")).isOne();
    assertThat(decisions("api", "denied", "store")).isOne();
  }

  @Test
  void keepsPoliciesApart() {
    RateLimiter api = meters.instrument(store).limiter(Policy.of("api", THREE));
    RateLimiter login = meters.instrument(store).limiter(Policy.of("login", THREE));
    api.tryAcquire("a");
    login.tryAcquire("a", 5);

    assertThat(decisions("api", "allowed", "store")).isOne();
    assertThat(decisions("api", "denied", "store")).isZero();
    assertThat(decisions("login", "allowed", "store")).isZero();
    assertThat(decisions("login", "denied", "store")).isOne();
  }

  @Test
  void addsUpLimitersOfOnePolicyInAllStores() {
    InMemoryStore otherStore = InMemoryStore.builder().clock(clock).build();
    Store instrumented = meters.instrument(store);
    RateLimiter one = instrumented.limiter(Policy.of("api", THREE));
    RateLimiter another = instrumented.limiter(Policy.of("api", THREE));
    RateLimiter elsewhere = meters.instrument(otherStore).limiter(Policy.of("api", THREE));
    one.tryAcquire("a");
    another.tryAcquire("b");
    elsewhere.tryAcquire("b");

    assertThat(decisions("api", "allowed", "store")).isEqualTo(3);
    assertThat(keys("api")).isEqualTo(3);
  }

  @Test
  void onlyRequestsForPermitsAreDecisions() {
    RateLimiter limiter = meters.instrument(store).limiter(Policy.of("api", THREE));
    limiter.peek("a");
    limiter.tryAcquireAsync("a", 0).toCompletableFuture().join();
    limiter.charge("a", 1);
    limiter.chargeAsync("a", 1).toCompletableFuture().join();
    limiter.refund("a", 1);
    limiter.refundAsync("a", 1).toCompletableFuture().join();
    limiter.inspect("a");
    limiter.inspectAsync("a").toCompletableFuture().join();
    limiter.reset("a");
    limiter.resetAsync("a").toCompletableFuture().join();

    assertThat(registry.get("sash.decisions").counters()).allMatch(c -> c.count() == 0);
    assertThat(latency("api").count()).isEqualTo(10);
  }

  @Test
  void countsDecisionsOfHandlesAndResolvedKeys() {
    RateLimiter limiter = meters.instrument(store).limiter(Policy.of("api", THREE));
    KeyLimiter ann = limiter.forKey("ann");
    ann.tryAcquire();
    ann.tryAcquireAsync(1).toCompletableFuture().join();
    limiter.resolve("ann").tryAcquire(1);
    ann.tryAcquire();

    assertThat(decisions("api", "allowed", "store")).isEqualTo(3);
    assertThat(decisions("api", "denied", "store")).isOne();
    assertThat(latency("api").count()).isEqualTo(4);
    assertThat(keys("api")).isOne();
  }

  @Test
  void everyAttemptOfAWaitIsADecision() {
    RateLimiter limiter = meters.instrument(store).limiter(Policy.of("api", THREE));
    limiter.tryAcquire("a", 3);
    CompletableFuture<Decision> waiting =
        limiter.acquireAsync("a", 1, Duration.ofHours(1)).toCompletableFuture();
    clock.advance(Duration.ofSeconds(1));

    assertThat(waiting).succeedsWithin(30, TimeUnit.SECONDS);
    assertThat(decisions("api", "allowed", "store")).isEqualTo(2);
    assertThat(decisions("api", "denied", "store")).isOne();
  }

  @Test
  void badArgumentsAreNoDecisions() {
    RateLimiter limiter = meters.instrument(store).limiter(Policy.of("api", THREE));

    assertThatThrownBy(() -> limiter.tryAcquire("", 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> limiter.tryAcquireAsync("a", -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(registry.get("sash.decisions").counters()).allMatch(c -> c.count() == 0);
    assertThat(latency("api").count()).isZero();
  }

  @Test
  void goesOnCountingWhenThePolicyChanges() {
    LimiterRegistry limiters = new LimiterRegistry(meters.instrument(store));
    RateLimiter limiter = limiters.put(Policy.of("api", THREE));
    limiter.tryAcquire("a", 3);
    limiters.put(Policy.of("api", Limit.slidingLog(4, Duration.ofSeconds(1))));
    limiter.tryAcquire("a");

    assertThat(decisions("api", "allowed", "store")).isEqualTo(2);
  }

  @Test
  void reportsKeysThatShareALimitForLackOfRoom() {
    InMemoryStore small = InMemoryStore.builder().clock(clock).maxKeys(1).build();
    RateLimiter limiter = meters.instrument(small).limiter(Policy.of("api", THREE));
    limiter.tryAcquire("a");
    limiter.tryAcquire("b");

    assertThat(decisions("api", "allowed", "overflow")).isOne();
    assertThat(latency("api").count()).isEqualTo(2);
  }

  @Test
  void countsEverySourceThatARemoteStoreHas() {
    StubStore stub = new StubStore();
    RateLimiter limiter = stub.limiter(meters);
    for (Source source : Source.values()) {
      stub.returns(StubStore.denied(source));
      limiter.tryAcquire("a");
      stub.returns(StubStore.allowed(source));
      limiter.tryAcquire("a");
    }

    assertThat(registry.get("sash.decisions").counters()).hasSize(10).allMatch(c -> c.count() == 1);
  }

  @Test
  void timesTheStoreUntilItsDecision() {
    StubStore stub = new StubStore();
    RateLimiter limiter = stub.limiter(meters);
    CompletableFuture<Decision> answer = limiter.tryAcquireAsync("a", 1).toCompletableFuture();
    meterClock.add(Duration.ofMillis(7));
    assertThat(latency("stub").count()).isZero();
    stub.result.complete(StubStore.allowed(Source.STORE));

    assertThat(answer).isCompleted();
    assertThat(latency("stub").count()).isOne();
    assertThat(latency("stub").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(7);

    stub.inCall = () -> meterClock.add(Duration.ofMillis(2));
    limiter.tryAcquire("a");
    limiter.refund("a", 1);
    limiter.reset("a");
    limiter.refundAsync("a", 1).toCompletableFuture().join();
    limiter.resetAsync("a").toCompletableFuture().join();
    assertThat(latency("stub").count()).isEqualTo(6);
    assertThat(latency("stub").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(17);
  }

  @Test
  void doesNotTimeDecisionsThatTheStoreDidNotMake() {
    StubStore stub = new StubStore();
    RateLimiter limiter = stub.limiter(meters);
    for (Source source : new Source[] {Source.DENY_CACHE, Source.LOCAL, Source.FAILURE_RULE}) {
      stub.returns(StubStore.denied(source));
      limiter.tryAcquire("a");
    }
    stub.result = CompletableFuture.failedFuture(new IllegalStateException("away"));
    assertThatThrownBy(() -> limiter.reset("a")).hasMessage("away");
    assertThat(limiter.resetAsync("a")).isCompletedExceptionally();

    assertThat(latency("stub").count()).isZero();
  }

  @Test
  void countsDecisionsByFailureRules() {
    StubStore stub = new StubStore();
    RateLimiter limiter = stub.limiter(meters);
    for (Source source : Source.values()) {
      stub.returns(StubStore.allowed(source));
      limiter.tryAcquire("a");
      limiter.peek("a");
      limiter.charge("a", 1);
      limiter.refund("a", 1);
      limiter.refund("a", 1, StubStore.allowed(Source.LOCAL)); // always local
    }

    assertThat(fallbacks("stub")).isEqualTo(8);
  }

  @Test
  void readsNoClockForATimerThatAFilterDenies() {
    AtomicBoolean asked = new AtomicBoolean();
    MockClock watched =
        new MockClock() {
          @Override
          public long monotonicTime() {
            asked.set(true);
            return super.monotonicTime();
          }
        };
    MeterRegistry filtered = new SimpleMeterRegistry(SimpleConfig.DEFAULT, watched);
    filtered.config().meterFilter(MeterFilter.denyNameStartsWith("sash.store.latency"));
    RateLimiter limiter = new SashMeters(filtered).instrument(store).limiter(Policy.of("p", THREE));
    asked.set(false);
    limiter.tryAcquire("a");
    limiter.refund("a", 1);
    limiter.reset("a");

    assertThat(asked).isFalse();
    assertThat(filtered.find("sash.store.latency").meters()).isEmpty();
    assertThat(filtered.get("sash.decisions").tag("outcome", "allowed").counters())
        .extracting(Counter::count)
        .containsExactlyInAnyOrder(1.0, 0.0);
  }

  @Test
  void reportsTheKeysInMemory() {
    RateLimiter limiter = meters.instrument(store).limiter(Policy.of("api", THREE));
    assertThat(keys("api")).isZero();
    limiter.tryAcquire("a");
    limiter.tryAcquire("b");
    limiter.tryAcquire("b");
    assertThat(keys("api")).isEqualTo(2);
    limiter.reset("a");
    assertThat(keys("api")).isOne();
  }

  @Test
  void reportsTheBytesOfInMemoryStores() {
    InMemoryStore bounded = InMemoryStore.builder().clock(clock).maxBytes(1_000_000).build();
    InMemoryStore other = InMemoryStore.builder().clock(clock).maxBytes(500_000).build();
    RateLimiter limiter = meters.instrument(bounded).limiter(Policy.of("api", THREE));
    meters.instrument(other).limiter(Policy.of("api", THREE)).tryAcquire("a");
    assertThat(bytes()).isEqualTo((double) other.bytes()).isPositive();
    limiter.tryAcquire("a");
    limiter.tryAcquire("b");

    assertThat(bytes()).isEqualTo((double) bounded.bytes() + other.bytes());
    assertThat(registry.get("sash.memory.max.bytes").gauge().value()).isEqualTo(1_500_000);
  }

  @Test
  void reportsWhetherAStoreDecides() {
    AtomicBoolean up = new AtomicBoolean(true);
    meters.watchStore("main", up::get);
    meters.watchStore("other", () -> false);
    assertThat(up("main")).isOne();
    assertThat(up("other")).isZero();
    up.set(false);
    assertThat(up("main")).isZero();
    meters.watchStore("main", () -> true);
    assertThat(up("main")).as("the newest store of that name").isOne();
  }

  @Test
  void refusesNull() {
    assertThatThrownBy(() -> new SashMeters(null)).hasMessage("registry must not be null");
    assertThatThrownBy(() -> new SashMeters(registry, null))
        .hasMessage("observations must not be null");
    assertThatThrownBy(() -> meters.instrument(null)).hasMessage("store must not be null");
    assertThatThrownBy(() -> meters.watchStore(null, () -> true))
        .hasMessage("name must not be null");
    assertThatThrownBy(() -> meters.watchStore("main", null)).hasMessage("isUp must not be null");
  }

  @Test
  void registersInMemoryOnlyWhatCanHappenThere() {
    meters.instrument(store).limiter(Policy.of("api", THREE));
    Map<String, Integer> series = new TreeMap<>();
    registry.getMeters().forEach(meter -> series.merge(meter.getId().getName(), 1, Integer::sum));

    assertThat(series)
        .isEqualTo(
            Map.of(
                "sash.decisions", 4,
                "sash.fallbacks", 1,
                "sash.store.latency", 1,
                "sash.memory.keys", 1,
                "sash.memory.bytes", 1,
                "sash.memory.max.bytes", 1));
  }

  private double decisions(String policy, String outcome, String source) {
    return registry
        .get("sash.decisions")
        .tags("policy", policy, "outcome", outcome, "source", source)
        .counter()
        .count();
  }

  private double fallbacks(String policy) {
    return registry.get("sash.fallbacks").tag("policy", policy).counter().count();
  }

  private Timer latency(String policy) {
    return registry.get("sash.store.latency").tag("policy", policy).timer();
  }

  private double keys(String policy) {
    return registry.get("sash.memory.keys").tag("policy", policy).gauge().value();
  }

  private double bytes() {
    return registry.get("sash.memory.bytes").gauge().value();
  }

  private double up(String store) {
    return registry.get("sash.store.up").tag("store", store).gauge().value();
  }
}
