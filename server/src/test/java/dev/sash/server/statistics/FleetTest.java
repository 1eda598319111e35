package dev.sash.server.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.server.statistics.Fleet.FleetCounts;
import dev.sash.store.Decisions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FleetTest {
  private final AtomicLong nanos = new AtomicLong();
  private final Map<Integer, byte[]> places = new HashMap<>();
  private boolean away;
  private boolean blind;
  private int reads;

  private final Fleet.Board board =
      new Fleet.Board() {
        @Override
        public CompletionStage<Optional<byte[]>> replace(int place, byte[] summary) {
          return away ? failed() : completed(places.put(place, summary));
        }

        @Override
        public CompletionStage<Optional<byte[]>> read(int place) {
          reads++;
          return away ? failed() : completed(blind ? null : places.get(place));
        }
      };

  private static CompletionStage<Optional<byte[]>> completed(byte[] value) {
    return CompletableFuture.completedStage(Optional.ofNullable(value));
  }

  private static CompletionStage<Optional<byte[]>> failed() {
    return CompletableFuture.failedStage(new IllegalStateException("away"));
  }

  private static Statistics statistics(String... policies) {
    Statistics statistics =
        new Statistics(
            KeyMode.SHOWN, () -> Instant.ofEpochMilli(1_700_000_000_000L), new KeyHash(1, 5), 16);
    for (String policy : policies) {
      statistics.record(
          policy,
          false,
          "secret",
          1,
          Decisions.denied(Limit.parse("1/1s"), 1, 0, 1, 1, Source.STORE));
    }
    return statistics;
  }

  private Fleet fleet(long server, String... policies) {
    return new Fleet(statistics(policies), board, server, nanos::get);
  }

  private FleetCounts counts(Fleet fleet) {
    nanos.addAndGet(1_000_000_000);
    return fleet.counts(Runnable::run).toCompletableFuture().join();
  }

  private static long denied(PolicyCounts counts) {
    return counts.of(Measure.DENIED).day();
  }

  @Test
  void addsUpWhatAllServersCount() {
    Fleet one = fleet(1, "a", "b", "b");
    Fleet two = fleet(2, "b", "c");
    for (Fleet each : List.of(one, two, one)) {
      each.publish();
    }
    FleetCounts all = counts(one);
    assertThat(all.servers()).isEqualTo(2);
    assertThat(denied(all.total())).isEqualTo(5);
    assertThat(all.policies()).extracting(PolicyCounts::policy).containsExactly("b", "a", "c");
    assertThat(denied(all.policies().get(0))).isEqualTo(3);
  }

  @Test
  void serversInOnePlaceMoveApart() {
    List<Fleet> fleets = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      fleets.add(fleet(i, "p"));
    }
    blind = true; // all of them look for a free place at once, and many choose the same
    fleets.forEach(Fleet::publish);
    blind = false;
    assertThat(places).hasSizeLessThan(40);
    for (int second = 0; second < 20; second++) {
      fleets.forEach(Fleet::publish);
    }
    assertThat(counts(fleets.get(0)).servers()).isEqualTo(40);
  }

  @Test
  void moreServersThanPlacesDoNotDisturbTheOthers() {
    List<Fleet> fleets = new ArrayList<>();
    for (int i = 0; i < Fleet.PLACES + 5; i++) {
      fleets.add(fleet(i, "p"));
      fleets.get(i).publish();
    }
    Map<Integer, byte[]> before = new HashMap<>(places);
    fleets.forEach(Fleet::publish);
    assertThat(places.keySet()).isEqualTo(before.keySet());
    assertThat(counts(fleets.get(0)).servers()).isEqualTo(Fleet.PLACES);
    assertThat(counts(fleets.get(Fleet.PLACES)).servers()).isEqualTo(Fleet.PLACES + 1);
  }

  @Test
  void aloneWhileTheOthersAreAway() {
    Fleet one = fleet(1, "a");
    Fleet two = fleet(2, "a");
    two.publish();
    assertThat(counts(one).servers()).isEqualTo(2);
    away = true;
    assertThat(one.publish().toCompletableFuture()).isCompleted();
    assertThat(counts(one).servers()).isEqualTo(1);
    away = false;
    assertThat(counts(one).servers()).isEqualTo(2);
  }

  @Test
  void readsOnceASecondHoweverOftenItIsAsked() {
    Fleet one = fleet(1, "a");
    counts(one);
    for (int i = 0; i < 100; i++) {
      one.counts(Runnable::run);
    }
    assertThat(reads).isEqualTo(Fleet.PLACES);
  }

  @Test
  void whatIsPublishedIsBoundedAndHasNoKeys() {
    String[] policies = new String[5_000];
    Arrays.setAll(policies, i -> "policy-with-a-rather-long-name-and-number-" + i);
    fleet(1, policies).publish();
    byte[] published = places.values().iterator().next();
    assertThat(published.length).isBetween(60_000, 64 << 10);
    assertThat(new String(published, java.nio.charset.StandardCharsets.ISO_8859_1))
        .doesNotContain("secret");
    FleetCounts all = counts(fleet(2, "a"));
    assertThat(denied(all.total())).isEqualTo(5_001);
    assertThat(all.policies()).hasSizeBetween(500, 2_000);
  }

  @Test
  void ignoresWhatIsNoSummary() {
    fleet(1, "a", "b").publish();
    byte[] good = places.remove(places.keySet().iterator().next());
    assertThat(Objects.requireNonNull(Summary.of(good)).policies()).hasSize(2);
    SplittableRandom random = new SplittableRandom(9);
    for (int i = 0; i < 20_000; i++) {
      byte[] bad = Arrays.copyOf(good, random.nextInt(good.length + 4));
      for (int flips = random.nextInt(4); flips > 0 && bad.length > 0; flips--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
      }
      Summary read = Summary.of(bad); // never throws
      if (read != null) {
        assertThat(read.policies()).allMatch(policy -> policy.policy().matches("[\\w.-]{1,64}"));
      }
    }
    assertThat(Summary.of(new byte[Summary.MAX_BYTES + 1])).isNull();
    places.put(3, new byte[] {1, 2, 3});
    assertThat(counts(fleet(2, "a")).servers()).isEqualTo(1);
  }
}
