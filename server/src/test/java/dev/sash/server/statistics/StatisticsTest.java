package dev.sash.server.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.server.statistics.PolicyDetail.TopKey;
import dev.sash.store.Decisions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class StatisticsTest {
  private static final Limit LIMIT = Limit.parse("10/1m");
  private static final Decision ALLOWED = Decisions.allowed(LIMIT, 3, 7, 1, Source.STORE);
  private static final Decision NEARLY = Decisions.allowed(LIMIT, 9, 1, 1, Source.STORE);
  private static final Decision DENIED = Decisions.denied(LIMIT, 10, 0, 5, 9, Source.STORE);
  private static final long HOUR = 3_600_000;

  private final AtomicLong millis = new AtomicLong(1_700_000_000_000L);
  private final Statistics statistics = statistics(KeyMode.SHOWN);

  private Statistics statistics(KeyMode keys) {
    return statistics(keys, 4);
  }

  private Statistics statistics(KeyMode keys, int detailed) {
    return new Statistics(
        keys,
        () -> Instant.ofEpochMilli(millis.get()),
        new KeyHash(11, 0x9E3779B97F4A7C15L),
        detailed);
  }

  private PolicyDetail detail(String policy) {
    return Objects.requireNonNull(statistics.detail(policy));
  }

  private void deny(String policy, int times) {
    for (int i = 0; i < times; i++) {
      statistics.record(policy, false, "bob", 1, DENIED);
    }
  }

  @Test
  void countsByPolicyAndInAll() {
    statistics.record("api", false, "ann", 2, ALLOWED);
    deny("api", 3);
    statistics.record("login", false, "ann", 1, ALLOWED);
    millis.addAndGet(30_000);

    PolicyCounts api = Objects.requireNonNull(statistics.counts("api"));
    assertThat(api.of(Measure.ALLOWED)).isEqualTo(new Counts(0, 1, 1, 1));
    assertThat(api.of(Measure.DENIED)).isEqualTo(new Counts(0, 3, 3, 3));
    assertThat(statistics.total().of(Measure.ALLOWED).minute()).isEqualTo(2);
    assertThat(statistics.policies())
        .extracting(PolicyCounts::policy, PolicyCounts::detailed)
        .containsExactly(tuple("api", true), tuple("login", true));
    assertThat(statistics.counts("other")).isNull();
    assertThat(statistics.detail("other")).isNull();
  }

  @Test
  void aShadowPolicyAdmitsWhatItWouldDeny() {
    statistics.record("s", true, "ann", 1, DENIED);
    statistics.record("s", true, "ann", 1, ALLOWED);

    PolicyCounts counts = detail("s").counts();
    assertThat(counts.of(Measure.ALLOWED).minute()).isEqualTo(2);
    assertThat(counts.of(Measure.DENIED).minute()).isZero();
    assertThat(counts.of(Measure.WOULD_DENY).minute()).isEqualTo(1);
    assertThat(detail("s").denied().keys()).containsExactly(new TopKey("ann", 1, 0));
    assertThat(statistics.denials("s", 5)).extracting(Denial::shadow).containsExactly(true);
  }

  @Test
  void countsDecisionsOfFailureRulesWhoseUseIsNotKnown() {
    statistics.record("p", false, "ann", 1, Decisions.withSource(NEARLY, Source.LOCAL));
    statistics.record("p", false, "bob", 1, Decisions.withSource(DENIED, Source.FAILURE_RULE));

    assertThat(detail("p").counts().of(Measure.FALLBACKS).minute()).isEqualTo(2);
    assertThat(detail("p").hourPeaks()).isEqualTo(new PeakUse.Summary(1, 0, true, 1, 1, 0));
  }

  @Test
  void knowsWhoSpendsAndWhoIsDenied() {
    statistics.record("p", false, "ann", 5, ALLOWED);
    statistics.record("p", false, "bob", 7, ALLOWED);
    statistics.record("p", false, "ann", 1, NEARLY);
    deny("p", 2);

    PolicyDetail detail = detail("p");
    assertThat(detail.spenders().total()).isEqualTo(13);
    assertThat(detail.spenders().keys())
        .containsExactly(new TopKey("bob", 7, 0), new TopKey("ann", 6, 0));
    assertThat(detail.denied().keys()).containsExactly(new TopKey("bob", 2, 0));
    assertThat(detail.hourPeaks()).isEqualTo(new PeakUse.Summary(2, 1, true, 1, 1, 0.5));
    assertThat(detail.dayPeaks()).isEqualTo(detail.hourPeaks());
    assertThat(detail.seconds().get(Measure.DENIED)[899]).isEqualTo(2);
    assertThat(detail.minutes().get(Measure.ALLOWED)[1_439]).isEqualTo(3);
  }

  @Test
  void forgetsKeysAfterAnHourAndPeaksAfterADay() {
    deny("p", 1);
    millis.addAndGet(HOUR);
    assertThat(detail("p").denied().keys()).isEmpty();
    assertThat(detail("p").hourPeaks().keys()).isZero();
    assertThat(detail("p").dayPeaks().denied()).isEqualTo(1);
    millis.addAndGet(23 * HOUR);
    assertThat(detail("p").dayPeaks().keys()).isZero();
  }

  @Test
  void whatDoesNotDependOnLimitsHasNoUseOfThem() {
    statistics.recordListed("p", false, "eve", 1, DENIED);
    statistics.recordListed("p", false, "ann", 1, ALLOWED);

    assertThat(detail("p").hourPeaks().keys()).isZero();
    assertThat(detail("p").counts().of(Measure.DENIED).minute()).isEqualTo(1);
    assertThat(statistics.denials(null, 9))
        .extracting(Denial::key, Denial::limit)
        .containsExactly(tuple("eve", null));
  }

  @Test
  void aDenialHasEverythingThatAnOperatorNeeds() {
    statistics.record("p", false, "ann", 4, DENIED);
    assertThat(statistics.denials("p", 1))
        .containsExactly(new Denial(millis.get(), "p", LIMIT, "ann", 4, 10, 5, false));
    assertThat(statistics.denials("q", 1)).isEmpty();
  }

  @Test
  void hashedKeysCanBeToldApartAndHiddenOnesAreNotKept() {
    Statistics hashed = statistics(KeyMode.HASHED);
    Statistics hidden = statistics(KeyMode.HIDDEN);
    for (String key : List.of("ann", "ann", "bob")) {
      hashed.record("p", false, key, 1, DENIED);
      hidden.record("p", false, key, 1, DENIED);
    }
    List<TopKey> keys = Objects.requireNonNull(hashed.detail("p")).denied().keys();
    assertThat(keys).extracting(TopKey::count).containsExactly(2L, 1L);
    assertThat(keys).allSatisfy(key -> assertThat(key.key()).matches("#[0-9a-f]{12}"));
    assertThat(hashed.denials(null, 2))
        .extracting(Denial::key)
        .containsExactly(keys.get(1).key(), keys.get(0).key());

    PolicyDetail detail = Objects.requireNonNull(hidden.detail("p"));
    assertThat(detail.denied().keys()).isEmpty();
    assertThat(detail.denied().total()).isEqualTo(3);
    assertThat(detail.hourPeaks().denied()).isEqualTo(2);
    assertThat(hidden.denials(null, 3)).extracting(Denial::key).containsOnlyNulls();
  }

  @Test
  void longKeysAreCutButStayApart() {
    String start = "x".repeat(127) + "\ud83d\ude00";
    statistics.record("p", false, start + "1", 1, DENIED);
    statistics.record("p", false, start + "2", 1, DENIED);
    assertThat(detail("p").denied().keys())
        .extracting(TopKey::key)
        .containsExactly("x".repeat(127) + "…", "x".repeat(127) + "…");
  }

  @Test
  void policiesWithoutDetailHaveSumsAndMakeRoomAfterADay() {
    for (int i = 0; i < 6; i++) {
      deny("p" + i, 1 + i);
    }
    assertThat(statistics.policies())
        .extracting(PolicyCounts::policy, PolicyCounts::detailed)
        .containsExactly(
            tuple("p5", false),
            tuple("p4", false),
            tuple("p3", true),
            tuple("p2", true),
            tuple("p1", true),
            tuple("p0", true));
    assertThat(statistics.detail("p5")).isNull();
    assertThat(statistics.policies().get(0).of(Measure.DENIED).hour()).isEqualTo(6);

    millis.addAndGet(23 * HOUR);
    deny("p0", 1);
    millis.addAndGet(2 * HOUR);
    deny("new", 1);
    assertThat(statistics.policies()).extracting(PolicyCounts::policy).containsExactly("new", "p0");
    assertThat(statistics.detail("new")).isNotNull();
  }

  @Test
  void policiesBeyondTheBoundCountInTheTotal() {
    for (int i = 0; i < Statistics.MOST_POLICIES + 5; i++) {
      deny("p" + i, 1);
    }
    assertThat(statistics.policies()).hasSize(Statistics.MOST_POLICIES);
    assertThat(statistics.total().of(Measure.DENIED).day()).isEqualTo(Statistics.MOST_POLICIES + 5);
  }

  @Test
  void aSmallHeapHasFewerPoliciesWithDetail() {
    assertThat(Statistics.detailed(64L << 20)).isEqualTo(44);
    assertThat(Statistics.detailed(4L << 30)).isEqualTo(256);
    assertThat(Statistics.detailed(1)).isEqualTo(16);
  }

  /** Every policy has as much as it can have: all slices full, of keys with the longest labels. */
  @Test
  void tenThousandPoliciesStayWithinTheStatedMemory() {
    Statistics full = statistics(KeyMode.SHOWN, 256);
    List<Decision> decisions = List.of(ALLOWED, DENIED, Decisions.withSource(DENIED, Source.LOCAL));
    String wide = "\u20ac".repeat(120); // two bytes each in memory
    long before = used();
    for (int slice = 0; slice < 4; slice++) {
      for (int policy = 0; policy < 256; policy++) {
        for (int key = 0; key < 600; key++) {
          full.record(
              "p" + policy,
              key % 2 == 0,
              wide + slice + "." + key,
              1,
              decisions.get(key % decisions.size()));
        }
      }
      millis.addAndGet(slice == 1 ? 6 * HOUR : HOUR / 4);
    }
    for (int policy = 256; policy < Statistics.MOST_POLICIES; policy++) {
      for (Decision decision : decisions) {
        full.record("p" + policy, false, "k", 1, decision);
        full.record("p" + policy, true, "k", 1, decision);
      }
    }
    full.drain();
    assertThat(used() - before).isBetween(20L << 20, 80_000_000L);
    assertThat(full.policies()).hasSize(Statistics.MOST_POLICIES);
  }

  private static long used() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  /** A reader sees whole decisions, and at the end nothing is missing that was not reported. */
  @RepeatedTest(20)
  void manyThreadsRecordWhileAnotherReads() throws InterruptedException {
    int threads = 6;
    int each = 20_000;
    CountDownLatch begin = new CountDownLatch(1);
    List<Thread> recorders = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      String key = "k" + t;
      Thread thread =
          new Thread(
              () -> {
                await(begin);
                for (int i = 0; i < each; i++) {
                  statistics.record("p" + i % 3, false, key, 1, i % 4 == 0 ? DENIED : ALLOWED);
                }
              });
      thread.start();
      recorders.add(thread);
    }
    AtomicBoolean done = new AtomicBoolean();
    AtomicBoolean shrank = new AtomicBoolean();
    Thread reader =
        new Thread(
            () -> {
              long last = 0;
              while (!done.get()) {
                long denied = statistics.total().of(Measure.DENIED).day();
                shrank.compareAndSet(false, denied < last);
                last = denied;
                statistics.policies();
                statistics.denials(null, 10);
              }
            });
    reader.start();
    begin.countDown();
    for (Thread recorder : recorders) {
      recorder.join();
    }
    done.set(true);
    reader.join();

    long counted =
        statistics.policies().stream()
            .mapToLong(p -> p.of(Measure.DENIED).day() + p.of(Measure.ALLOWED).day())
            .sum();
    assertThat(counted + statistics.lost()).isEqualTo((long) threads * each);
    assertThat(shrank).isFalse();
    long perKey = 0;
    for (int p = 0; p < 3; p++) {
      PolicyDetail detail = detail("p" + p);
      perKey += detail.spenders().keys().stream().mapToLong(TopKey::count).sum();
      perKey += detail.denied().keys().stream().mapToLong(TopKey::count).sum();
      assertThat(Arrays.stream(detail.minutes().get(Measure.DENIED)).sum())
          .isEqualTo(detail.denied().total());
    }
    assertThat(perKey).isEqualTo(counted);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
