package dev.sash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitParseTest {
  private static final long SEED = Long.getLong("sash.seed", System.nanoTime());
  private static final List<Algorithm> ALGORITHMS = List.of(Algorithm.values());
  private static final long MAX_WINDOW_MICROS = Duration.ofDays(366).toMillis() * 1_000;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "100/1m",
        "100/m",
        "100/60s",
        "100/1m sliding-log",
        "100 per 1m",
        "100 per minute",
        "100per1minute",
        "100 PER 1 Minutes SLIDING-LOG",
        "  100  /  1  min  sliding-log  ",
        "1_00/60_000ms",
        "100/1m cells=0",
        "100/1m capacity=100",
      })
  void readsEveryWayToSayAHundredPerMinute(String text) {
    assertThat(Limit.parse(text)).isEqualTo(Limit.slidingLog(100, Duration.ofMinutes(1)));
  }

  @ParameterizedTest
  @CsvSource({
    "us, 1000000",
    "ms, 1000000000",
    "s, 1000000000000",
    "sec, 1000000000000",
    "second, 1000000000000",
    "seconds, 1000000000000",
    "m, 60000000000000",
    "min, 60000000000000",
    "minute, 60000000000000",
    "minutes, 60000000000000",
    "h, 3600000000000000",
    "hour, 3600000000000000",
    "hours, 3600000000000000",
    "d, 86400000000000000",
    "day, 86400000000000000",
    "days, 86400000000000000",
    "w, 604800000000000000",
    "week, 604800000000000000",
    "weeks, 604800000000000000",
  })
  void readsEveryUnit(String unit, long nanosOfAThousand) {
    String count = unit.equals("us") ? "7000" : "7";
    Duration window = Duration.ofNanos(nanosOfAThousand / 1_000 * Long.parseLong(count));

    assertThat(Limit.parse("5/" + count + unit)).isEqualTo(Limit.slidingLog(5, window));
  }

  @Test
  void readsEveryAlgorithm() {
    Duration hour = Duration.ofHours(1);

    assertThat(Limit.parse("9/h sliding-log")).isEqualTo(Limit.slidingLog(9, hour));
    assertThat(Limit.parse("9/h sliding-counter")).isEqualTo(Limit.slidingCounter(9, hour));
    assertThat(Limit.parse("9/h fixed-window")).isEqualTo(Limit.fixedWindow(9, hour));
    assertThat(Limit.parse("9/h token-bucket")).isEqualTo(Limit.tokenBucket(9, hour));
  }

  @Test
  void readsTheOptions() {
    assertThat(Limit.parse("1_000_000/d sliding-log cells=288"))
        .isEqualTo(Limit.slidingLog(1_000_000, Duration.ofDays(1)).withCells(288));
    assertThat(Limit.parse("1000000/d cells = 288"))
        .isEqualTo(Limit.slidingLog(1_000_000, Duration.ofDays(1)).withCells(288));
    assertThat(Limit.parse("50/s token-bucket capacity=200"))
        .isEqualTo(Limit.tokenBucket(50, Duration.ofSeconds(1)).withCapacity(200));
    assertThat(Limit.parse("50/s token-bucket cells=0 capacity=20"))
        .isEqualTo(Limit.tokenBucket(50, Duration.ofSeconds(1)).withCapacity(20));
  }

  @Test
  void readsTheBounds() {
    assertThat(Limit.parse("1/1000us").windowMicros()).isEqualTo(1_000);
    assertThat(Limit.parse("1000000000/366d").windowMicros()).isEqualTo(MAX_WINDOW_MICROS);
    assertThat(Limit.parse("1000000000/366d").permits()).isEqualTo(1_000_000_000);
    assertThat(Limit.parse("1/1s cells=1000000").cells()).isEqualTo(1_000_000);
  }

  @Test
  void readsWhatToStringWrites() {
    Random random = new Random(SEED);
    for (int i = 0; i < 20_000; i++) {
      Limit limit = randomLimit(random);

      assertThat(Limit.parse(limit.toString()))
          .as("replay with -Dsash.seed=%d", SEED)
          .isEqualTo(limit);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "\"\"            | a number of permits at column 1, found the end",
        "\"   \"         | a number of permits at column 4, found the end",
        "abc             | a number of permits at column 1, found 'abc'",
        "-5/s            | a number of permits at column 1, found '-5/s'",
        "+5/s            | a number of permits at column 1, found '+5/s'",
        "_5/s            | a number of permits at column 1, found '_5/s'",
        "5_/s            | a number of permits at column 1, found '5_/s'",
        "_               | a number of permits at column 1, found '_'",
        "/s              | a number of permits at column 1, found '/s'",
        "\u0665/s        | a number of permits at column 1, found '\u0665/s'",
        "31622400000001/s | a number of permits that is not so large at column 1, found '31622400000001/s'",
        "99999999999999999999/s"
            + " | a number of permits that is not so large at column 1, found '99999999999999999999/s'",
        "100             | '/' or 'per' at column 4, found the end",
        "100 x 1m        | '/' or 'per' at column 5, found 'x'",
        "100 perm        | '/' or 'per' at column 5, found 'perm'",
        "1.5/s           | '/' or 'per' at column 2, found '.5/s'",
        "1e3/s           | '/' or 'per' at column 2, found 'e3/s'",
        "100//s          | a unit of time (us, ms, s, m, h, d, w) at column 5, found '/s'",
        "100/            | a unit of time (us, ms, s, m, h, d, w) at column 5, found the end",
        "100 per         | a unit of time (us, ms, s, m, h, d, w) at column 8, found the end",
        "100/1           | a unit of time (us, ms, s, m, h, d, w) at column 6, found the end",
        "100/1y          | a unit of time (us, ms, s, m, h, d, w) at column 6, found 'y'",
        "100/-1s         | a unit of time (us, ms, s, m, h, d, w) at column 5, found '-1s'",
        "100/1.5s        | a unit of time (us, ms, s, m, h, d, w) at column 6, found '.5s'",
        "100/ms-s        | a unit of time (us, ms, s, m, h, d, w) at column 5, found 'ms-s'",
        "100/1_s         | a number at column 5, found '1_s'",
        "100/31622400000001us | a number that is not so large at column 5, found '31622400000001us'",
        "100/367d        | a window between 1 ms and 366 days at column 5, found '367d'",
        "100/53 weeks    | a window between 1 ms and 366 days at column 5, found '53'",
        "100/31622400000000s"
            + " | a window between 1 ms and 366 days at column 5, found '31622400000000s'",
        "100/1m foo"
            + " | an algorithm (sliding-log, sliding-counter, fixed-window, token-bucket)"
            + " at column 8, found 'foo'",
        "100/1m sliding-log x   | cells=<number>, capacity=<number> or the end at column 20, found 'x'",
        "100/1m 5               | cells=<number>, capacity=<number> or the end at column 8, found '5'",
        "100/1m, 5/s            | cells=<number>, capacity=<number> or the end at column 7, found ','",
        "100/1m cells           | cells=<number>, capacity=<number> or the end at column 8, found 'cells'",
        "100/1m cells 5"
            + " | cells=<number>, capacity=<number> or the end at column 8, found 'cells'",
        "100/1m cells=          | a number of cells at column 14, found the end",
        "100/1m cells=x         | a number of cells at column 14, found 'x'",
        "100/1m token-bucket capacity=-1 | a number of permits at column 30, found '-1'",
      })
  void saysWhereAndWhatItExpected(String text, String expected) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limit.parse(text))
        .withMessage("limit '%s': expected %s", text, expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0/1m           | permits must be between 1 and 1000000000, was 0",
        "1000000001/1m  | permits must be between 1 and 1000000000, was 1000000001",
        "1/0s           | window in microseconds must be between 1000 and 31622400000000, was 0",
        "1/999us        | window in microseconds must be between 1000 and 31622400000000, was 999",
        "1/1ms cells=1001    | cells must be between 0 and 1000, was 1001",
        "1/1h cells=1000001  | cells must be between 0 and 1000000, was 1000001",
        "1/s fixed-window cells=3"
            + " | cells must be 0 for fixed-window (only sliding-log has cells), was 3",
        "1/s token-bucket capacity=0 | capacity must be between 1 and 1000000000, was 0",
        "2/s capacity=3 | capacity must equal permits (2) for sliding-log"
            + " (only token-bucket has a capacity of its own), was 3",
      })
  void saysWhichNumberIsOutOfBounds(String text, String expected) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limit.parse(text))
        .withMessage("limit '%s': %s", text, expected);
  }

  @ParameterizedTest
  @CsvSource({
    "1m, PT1M",
    "' 250 ms ', PT0.25S",
    "day, PT24H",
    "366d, PT8784H",
    "1_000us, PT0.001S"
  })
  void readsAWindowAlone(String text, Duration window) {
    assertThat(Limit.parseWindow(text)).isEqualTo(window);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''       | a unit of time (us, ms, s, m, h, d, w) at column 1, found the end
          60       | a unit of time (us, ms, s, m, h, d, w) at column 3, found the end
          1.5h     | a unit of time (us, ms, s, m, h, d, w) at column 2, found '.5h'
          1m x     | the end at column 4, found 'x'
          999us    | a window between 1 ms and 366 days at column 1, found '999us'
          367d     | a window between 1 ms and 366 days at column 1, found '367d'
          """)
  void saysWhatIsWrongWithAWindow(String text, String expected) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limit.parseWindow(text))
        .withMessage("window '" + text + "': expected " + expected);
  }

  @Test
  void refusesNull() {
    assertThatNullPointerException()
        .isThrownBy(() -> Limit.parse(null))
        .withMessage("limit must not be null");
  }

  static Limit randomLimit(Random random) {
    Algorithm algorithm = ALGORITHMS.get(random.nextInt(ALGORITHMS.size()));
    long permits = 1 + random.nextLong(random.nextBoolean() ? 1_000 : 1_000_000_000);
    long unit = new long[] {1, 1_000, 1_000_000, 3_600_000_000L}[random.nextInt(4)];
    long window = Math.max(1_000, random.nextLong(MAX_WINDOW_MICROS / unit) * unit);
    int cells = 0;
    if (algorithm == Algorithm.SLIDING_LOG && random.nextBoolean()) {
      cells = 1 + random.nextInt((int) Math.min(1_000_000, window));
    }
    boolean ownCapacity = algorithm == Algorithm.TOKEN_BUCKET && random.nextBoolean();
    long capacity = ownCapacity ? 1 + random.nextLong(1_000_000_000) : permits;
    return new Limit(algorithm, permits, window, cells, capacity);
  }
}
