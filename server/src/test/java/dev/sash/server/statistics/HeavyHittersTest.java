package dev.sash.server.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.server.statistics.HeavyHitters.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeavyHittersTest {
  private static final int CAPACITY = 50;

  /** Sketches of parts of the traffic, and the truth about all of it. */
  private static final class Traffic {
    private final List<HeavyHitters> parts = new ArrayList<>();
    private final Map<Long, Long> exact = new HashMap<>();
    private long total;

    Traffic(int parts) {
      for (int i = 0; i < parts; i++) {
        this.parts.add(new HeavyHitters(CAPACITY));
      }
    }

    void add(int part, long key, long weight) {
      parts.get(part).add(key, "k" + key, weight);
      exact.merge(key, weight, Long::sum);
      total += weight;
    }

    void check() {
      HeavyHitters merged = new HeavyHitters(CAPACITY);
      parts.forEach(merged::add);
      check(merged);
    }

    private void check(HeavyHitters sketch) {
      assertThat(sketch.total()).isEqualTo(total);
      List<Entry> entries = sketch.entries();
      assertThat(entries).hasSize(Math.min(CAPACITY, exact.size()));
      assertThat(sketch.absent()).isLessThanOrEqualTo(total / CAPACITY);
      long last = Long.MAX_VALUE;
      for (Entry entry : entries) {
        assertThat(exact.get(entry.id())).isBetween(entry.count() - entry.error(), entry.count());
        assertThat(entry.error()).isBetween(0L, total / CAPACITY);
        assertThat(entry.label()).isEqualTo("k" + entry.id());
        assertThat(entry.count()).isLessThanOrEqualTo(last);
        last = entry.count();
      }
      Map<Long, Entry> kept = entries.stream().collect(Collectors.toMap(Entry::id, e -> e));
      exact.forEach(
          (key, weight) -> {
            if (!kept.containsKey(key)) {
              assertThat(weight).isLessThanOrEqualTo(sketch.absent());
            }
          });
    }
  }

  @Test
  void isExactUpToItsCapacity() {
    HeavyHitters sketch = new HeavyHitters(3);
    sketch.add(7, "a", 2);
    sketch.add(8, "b", 5);
    sketch.add(7, "a", 1);
    sketch.add(9, "c", 0);

    assertThat(sketch.entries()).containsExactly(new Entry(8, "b", 5, 0), new Entry(7, "a", 3, 0));
    assertThat(sketch.absent()).isZero();
  }

  @Test
  void aNewKeyInheritsTheLeastCountAsItsError() {
    HeavyHitters sketch = new HeavyHitters(2);
    sketch.add(1, "a", 5);
    sketch.add(2, "b", 3);
    sketch.add(3, "c", 1);

    assertThat(sketch.entries()).containsExactly(new Entry(1, "a", 5, 0), new Entry(3, "c", 4, 3));
    assertThat(sketch.absent()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void keepsItsGuaranteesOnSkewedTraffic(int parts) {
    SplittableRandom random = new SplittableRandom(42 + parts);
    for (double skew : new double[] {0.5, 1.0, 1.5}) {
      Traffic traffic = new Traffic(parts);
      for (int i = 0; i < 50_000; i++) {
        // Inverse of a continuous Zipf-like distribution over 10,000 keys.
        long key = (long) Math.pow(10_000, Math.pow(random.nextDouble(), skew));
        traffic.add(random.nextInt(parts), key * 0x9E3779B97F4A7C15L, 1 + random.nextInt(3));
      }
      traffic.check();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void keepsItsGuaranteesOnARoundRobinOfOneKeyMoreThanFit(int parts) {
    Traffic traffic = new Traffic(parts);
    for (int i = 0; i < 20_000; i++) {
      traffic.add(i % parts, i % (CAPACITY + 1), 1);
    }
    traffic.check();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void keepsItsGuaranteesOnNewKeysOnly(int parts) {
    Traffic traffic = new Traffic(parts);
    for (int i = 0; i < 20_000; i++) {
      traffic.add(i % parts, i, 1);
    }
    traffic.check();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void findsBurstsBetweenNewKeys(int parts) {
    SplittableRandom random = new SplittableRandom(7);
    Traffic traffic = new Traffic(parts);
    for (int i = 0; i < 20_000; i++) {
      traffic.add(random.nextInt(parts), 1_000_000 + i, 1);
      if (i % 5_000 == 2_500) {
        for (int burst = 0; burst < 1_000; burst++) {
          traffic.add(random.nextInt(parts), i, 1);
        }
      }
    }
    traffic.check();
    HeavyHitters merged = new HeavyHitters(CAPACITY);
    traffic.parts.forEach(merged::add);
    assertThat(merged.entries().stream().map(Entry::id)).contains(2_500L, 7_500L, 12_500L, 17_500L);
  }

  @Test
  void goesOnAfterAMerge() {
    SplittableRandom random = new SplittableRandom(3);
    Traffic traffic = new Traffic(1);
    for (int round = 0; round < 10; round++) {
      HeavyHitters other = new HeavyHitters(CAPACITY);
      for (int i = 0; i < 2_000; i++) {
        long key = random.nextInt(1 + random.nextInt(500));
        other.add(key, "k" + key, 1);
        traffic.exact.merge(key, 1L, Long::sum);
        traffic.total++;
        traffic.add(0, random.nextInt(500), 1);
      }
      traffic.parts.get(0).add(other);
      traffic.check(traffic.parts.get(0));
    }
  }

  @Test
  void keysWhoseHashesCollideInTheTableStayApart() {
    Traffic traffic = new Traffic(1);
    for (int i = 0; i < 10_000; i++) {
      traffic.add(0, (long) (i % 97) << 20, 1 + i % 97);
    }
    traffic.check();
  }

  @Test
  void refusesBadArguments() {
    assertThatThrownBy(() -> new HeavyHitters(0))
        .hasMessage("capacity must be between 1 and 65536, was 0");
    HeavyHitters sketch = new HeavyHitters(2);
    assertThatThrownBy(() -> sketch.add(1, null, -1))
        .hasMessage("weight must be 0 or more, was -1");
    assertThatThrownBy(() -> sketch.add(new HeavyHitters(3)))
        .hasMessage("capacity must be 2 as here, was 3");
  }
}
