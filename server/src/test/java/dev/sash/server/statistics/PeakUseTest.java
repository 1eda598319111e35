package dev.sash.server.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeakUseTest {
  private static final int LIMIT = 200;

  private static void check(int keys, KeyHash hash, ToIntFunction<SplittableRandom> peak) {
    SplittableRandom random = new SplittableRandom(keys);
    PeakUse use = new PeakUse();
    int above50 = 0;
    int above80 = 0;
    int denied = 0;
    for (int i = 0; i < keys; i++) {
      int most = peak.applyAsInt(random);
      long id = hash.of("user:" + i);
      use.add(id, most / 2, LIMIT, false);
      use.add(id, Math.min(LIMIT, most), LIMIT, most > LIMIT);
      use.add(id, most / 3, LIMIT, false);
      above50 += most > LIMIT / 2 ? 1 : 0;
      above80 += most * 100 > LIMIT * 80 ? 1 : 0;
      denied += most > LIMIT ? 1 : 0;
    }
    PeakUse.Summary summary = use.summary();
    boolean exact = keys <= PeakUse.SAMPLE;
    assertThat(summary.exact()).isEqualTo(exact);
    double keysError = exact ? 0 : PeakUse.KEYS_ERROR;
    double shareError = exact ? 1e-12 : PeakUse.SHARE_ERROR;
    assertThat((double) summary.keys()).isCloseTo(keys, within(keys * keysError));
    assertThat(summary.above50()).isCloseTo((double) above50 / keys, within(shareError));
    assertThat(summary.above80()).isCloseTo((double) above80 / keys, within(shareError));
    assertThat(summary.above100()).isCloseTo((double) denied / keys, within(shareError));
    assertThat((double) summary.denied())
        .isCloseTo(denied, within(exact ? 0 : keys * (shareError + keysError)));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 511, 512, 513, 2_000, 50_000, 300_000})
  void estimatesKeysAndSharesWithinTheStatedErrors(int keys) {
    for (long seed = 1; seed <= 3; seed++) {
      KeyHash hash = new KeyHash(seed * 0x1234567, seed * 0x9E3779B97F4A7C15L);
      check(keys, hash, random -> random.nextInt(2 * LIMIT));
      check(keys, hash, random -> LIMIT / (1 + random.nextInt(20)));
      check(keys, hash, random -> random.nextInt(50) == 0 ? 3 * LIMIT : 1);
      check(keys, hash, random -> LIMIT / 2);
    }
  }

  @Test
  void theStatedErrorsAreThoseOfTheSample() {
    assertThat(PeakUse.KEYS_ERROR).isCloseTo(0.177, within(0.001));
    assertThat(PeakUse.SHARE_ERROR).isCloseTo(0.088, within(0.001));
  }

  @Test
  void theErrorOfManySketchesIsAsStated() {
    double squares = 0;
    int rounds = 200;
    for (int round = 0; round < rounds; round++) {
      SplittableRandom random = new SplittableRandom(round);
      KeyHash hash = new KeyHash(random.nextLong(), random.nextLong());
      PeakUse use = new PeakUse();
      for (int i = 0; i < 5_000; i++) {
        use.add(hash.of("k" + i), 1, 2, false);
      }
      double error = use.summary().keys() / 5_000.0 - 1;
      squares += error * error;
    }
    assertThat(Math.sqrt(squares / rounds)).isBetween(0.035, 0.053);
  }

  @Test
  void aMergedSketchIsTheSketchOfAll() {
    KeyHash hash = new KeyHash(1, 0x9E3779B97F4A7C15L);
    SplittableRandom random = new SplittableRandom(5);
    PeakUse all = new PeakUse();
    PeakUse one = new PeakUse();
    PeakUse other = new PeakUse();
    for (int i = 0; i < 20_000; i++) {
      long id = hash.of("k" + random.nextInt(3_000));
      int used = random.nextInt(120);
      all.add(id, Math.min(100, used), 100, used > 118);
      (random.nextBoolean() ? one : other).add(id, Math.min(100, used), 100, used > 118);
    }
    PeakUse merged = new PeakUse();
    merged.add(one);
    merged.add(other);
    assertThat(merged.summary()).isEqualTo(all.summary());
    assertThat(all.summary().exact()).isFalse();
  }

  @Test
  void nothingSeenIsNoShare() {
    assertThat(new PeakUse().summary()).isEqualTo(new PeakUse.Summary(0, 0, true, 0, 0, 0));
  }

  @Test
  void exactlyHalfIsNotMoreThanHalf() {
    PeakUse use = new PeakUse();
    use.add(1, 500, 1_000, false);
    assertThat(use.summary().above50()).isZero();
    use.add(1, 501, 1_000, false);
    assertThat(use.summary().above50()).isEqualTo(1);
    use.add(1, 2_000_000_000, 1, false);
    assertThat(use.summary().above80()).isEqualTo(1);
    assertThat(use.summary().denied()).isZero();
  }
}
