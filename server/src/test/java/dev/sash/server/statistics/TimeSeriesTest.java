package dev.sash.server.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TimeSeriesTest {
  private static final long BEGIN = 1_700_000_040_000L; // begins a minute, but no hour
  private static final int DAY = 86_400;

  @Test
  void holdsTheExactSumsOfADay() {
    SplittableRandom random = new SplittableRandom(1);
    TimeSeries series = TimeSeries.detailed();
    long[] exact = new long[DAY + 7_200];
    for (int second = 0; second < exact.length; second++) {
      int requests = random.nextInt(4) == 0 ? random.nextInt(5) : 0;
      for (int i = 0; i < requests; i++) {
        series.add(Measure.DENIED, BEGIN + second * 1_000L + random.nextInt(1_000), 1);
      }
      exact[second] = requests;
      if (second % 9_973 == 0 || second == exact.length - 1) {
        checkSums(series, exact, second);
      }
    }
    assertThat(series.sum(Measure.ALLOWED, 60_000, BEGIN)).isZero();
  }

  private static void checkSums(TimeSeries series, long[] exact, int second) {
    long now = BEGIN + second * 1_000L + 999;
    assertThat(series.sum(Measure.DENIED, 60_000, now)).isEqualTo(sum(exact, second, 60));
    assertThat(series.sum(Measure.DENIED, 900_000, now)).isEqualTo(sum(exact, second, 900));
    int inMinute = second % 60 + 1;
    assertThat(series.sum(Measure.DENIED, 3_600_000, now))
        .isEqualTo(sum(exact, second, 59 * 60 + inMinute));
    assertThat(series.sum(Measure.DENIED, DAY * 1_000L, now))
        .isEqualTo(sum(exact, second, 1_439 * 60 + inMinute));
    assertThat(series.perSecond(Measure.DENIED, now)).isEqualTo(sum(exact, second - 1, 5) / 5.0);
    long[] seconds = series.fine(Measure.DENIED, now);
    long[] minutes = series.coarse(Measure.DENIED, now);
    assertThat(seconds).hasSize(900);
    assertThat(minutes).hasSize(1_440);
    assertThat(seconds[899]).isEqualTo(exact[second]);
    assertThat(Arrays.stream(seconds).sum()).isEqualTo(sum(exact, second, 900));
    assertThat(minutes[1_439]).isEqualTo(sum(exact, second, inMinute));
    assertThat(minutes[1_438]).isEqualTo(sum(exact, second - inMinute, 60));
  }

  /** The sum of so many seconds up to and including one. */
  private static long sum(long[] exact, int last, int count) {
    long sum = 0;
    for (int i = Math.max(0, last - count + 1); i <= last; i++) {
      sum += exact[i];
    }
    return sum;
  }

  @Test
  void theCompactOneHoldsSumsToTenMinutes() {
    TimeSeries series = TimeSeries.compact();
    long[] exact = new long[DAY + 7_200];
    for (int second = 0; second < exact.length; second++) {
      exact[second] = second % 3;
      series.add(Measure.ALLOWED, BEGIN + second * 1_000L, second % 3);
    }
    int last = exact.length - 1;
    long now = BEGIN + last * 1_000L;
    long second = now / 1_000;
    assertThat(series.sum(Measure.ALLOWED, 60_000, now))
        .isEqualTo(sum(exact, last, 50 + (int) (second % 10) + 1));
    assertThat(series.sum(Measure.ALLOWED, 3_600_000, now))
        .isEqualTo(sum(exact, last, 3_000 + (int) (second % 600) + 1));
    assertThat(series.sum(Measure.ALLOWED, DAY * 1_000L, now))
        .isEqualTo(sum(exact, last, 143 * 600 + (int) (second % 600) + 1));
    assertThat(series.perSecond(Measure.ALLOWED, now))
        .isEqualTo(sum(exact, last - (int) (second % 10) - 1, 10) / 10.0);
  }

  @Test
  void aPauseLeavesNothingOldBehind() {
    TimeSeries series = TimeSeries.detailed();
    series.add(Measure.ALLOWED, BEGIN, 5);
    assertThat(series.sum(Measure.ALLOWED, 60_000, BEGIN + 59_999)).isEqualTo(5);
    assertThat(series.sum(Measure.ALLOWED, 60_000, BEGIN + 60_000)).isZero();
    assertThat(series.sum(Measure.ALLOWED, DAY * 1_000L, BEGIN + DAY * 1_000L - 1)).isEqualTo(5);
    assertThat(series.sum(Measure.ALLOWED, DAY * 1_000L, BEGIN + DAY * 1_000L)).isZero();

    series.add(Measure.ALLOWED, BEGIN + 900_000, 1); // the same slot, another time
    assertThat(series.fine(Measure.ALLOWED, BEGIN + 900_000)[899]).isEqualTo(1);
    assertThat(Arrays.stream(series.fine(Measure.ALLOWED, BEGIN + 900_000)).sum()).isEqualTo(1);
  }

  @Test
  void countsWhatIsLateAndIgnoresWhatIsTooOld() {
    TimeSeries series = TimeSeries.detailed();
    series.add(Measure.ALLOWED, BEGIN + 1_000_000, 1);
    series.add(Measure.ALLOWED, BEGIN + 990_000, 2);
    series.add(Measure.ALLOWED, BEGIN + 100_000, 4); // too old for seconds, not for minutes
    series.add(Measure.ALLOWED, BEGIN - DAY * 2_000L, 8);

    assertThat(series.sum(Measure.ALLOWED, 900_000, BEGIN + 1_000_000)).isEqualTo(3);
    assertThat(series.sum(Measure.ALLOWED, 3_600_000, BEGIN + 1_000_000)).isEqualTo(7);
    assertThat(series.sum(Measure.ALLOWED, DAY * 1_000L, BEGIN + 1_000_000)).isEqualTo(7);
  }

  @Test
  void aSlotDoesNotOverflow() {
    TimeSeries series = TimeSeries.detailed();
    series.add(Measure.ALLOWED, BEGIN, Integer.MAX_VALUE);
    series.add(Measure.ALLOWED, BEGIN, 1);
    assertThat(series.sum(Measure.ALLOWED, 1_000, BEGIN)).isEqualTo(Integer.MAX_VALUE);
  }
}
