package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A scenario written as a table: times, operations and the expected decisions.
 *
 * <pre>
 *   at        | do       | answer  | used | left | retry | reset
 *   0         | 4        | allowed | 4    | 6    |       | 1m
 *   30s       | 7        | denied  | 4    |      | 30s   |
 *   1m - 1us  | peek     | allowed | 4    |      |       |
 *   1m        | refund 2 | allowed |      |      |       |
 * </pre>
 *
 * <p>A number asks for that many permits; {@code peek}, {@code refund n}, {@code charge n} and
 * {@code reset} are the operations of that name. An answer is {@code allowed}, {@code denied} or
 * {@code never}; {@code by} is the place of the deciding limit in its policy, from 1. Cells and
 * columns may be left empty: they are not checked then. A column {@code key} names the key; there
 * is one key otherwise.
 */
final class StepTable {
  private static final Pattern TIME = Pattern.compile("([+-]?)\\s*(\\d+)(us|ms|s|m|h|d)?\\s*");
  private static final Map<String, Long> MICROS_OF_UNIT =
      Map.of(
          "us", 1L,
          "ms", 1_000L,
          "s", 1_000_000L,
          "m", 60_000_000L,
          "h", 3_600_000_000L,
          "d", 86_400_000_000L);

  private final RateLimiter limiter;
  private final ManualClock clock;
  private final long originMicros;

  /**
   * @param limiter the limiter to call
   * @param clock the clock of the limiter
   * @param originMicros where the table's times begin
   */
  StepTable(RateLimiter limiter, ManualClock clock, long originMicros) {
    this.limiter = limiter;
    this.clock = clock;
    this.originMicros = originMicros;
  }

  void run(String table) {
    List<String> lines = table.lines().filter(line -> !line.isBlank()).toList();
    List<String> columns = cells(lines.get(0)).toList();
    for (String line : lines.subList(1, lines.size())) {
      Map<String, String> row = new HashMap<>();
      List<String> cells = cells(line).toList();
      assertThat(cells.size()).as(line).isLessThanOrEqualTo(columns.size());
      for (int i = 0; i < cells.size(); i++) {
        row.put(columns.get(i), cells.get(i));
      }
      step(line.strip() + " (beginning at " + originMicros + " µs)", row);
    }
  }

  private void step(String line, Map<String, String> row) {
    clock.setMicros(originMicros + micros(row.getOrDefault("at", "")));
    String key = row.getOrDefault("key", "");
    Decision decision = act(key.isEmpty() ? "key" : key, row.getOrDefault("do", ""));
    row.forEach(
        (column, expected) -> {
          if (!expected.isEmpty()) {
            check(line, decision, column, expected);
          }
        });
  }

  private Decision act(String key, String action) {
    if (action.equals("peek")) {
      return limiter.peek(key);
    }
    if (action.equals("reset")) {
      limiter.reset(key);
      return limiter.peek(key);
    }
    if (action.startsWith("refund ")) {
      return limiter.refund(key, Long.parseLong(action.substring("refund ".length())));
    }
    if (action.startsWith("charge ")) {
      return limiter.charge(key, Long.parseLong(action.substring("charge ".length())));
    }
    return limiter.tryAcquire(key, Long.parseLong(action));
  }

  private void check(String line, Decision decision, String column, String expected) {
    String where = column + " of: " + line + "\n" + decision + "\n";
    switch (column) {
      case "at", "do", "key" -> {}
      case "answer" -> assertThat(answer(decision)).as(where).isEqualTo(expected);
      case "used" -> assertThat(decision.used()).as(where).isEqualTo(Long.parseLong(expected));
      case "left" -> assertThat(decision.remaining()).as(where).isEqualTo(Long.parseLong(expected));
      case "retry" -> assertThat(decision.retryAfter()).as(where).isEqualTo(duration(expected));
      case "reset" -> assertThat(decision.resetAfter()).as(where).isEqualTo(duration(expected));
      case "by" ->
          assertThat(decision.decidedBy())
              .as(where)
              .isEqualTo(limiter.policy().limits().get(Integer.parseInt(expected) - 1));
      default -> throw new IllegalArgumentException("no such column: " + column);
    }
  }

  private static String answer(Decision decision) {
    if (decision.neverAllowed()) {
      assertThat(decision.retryAfter()).isEqualTo(Decision.NEVER);
      return decision.allowed() ? "allowed but never" : "never";
    }
    assertThat(decision.retryAfter().isZero()).as("%s", decision).isEqualTo(decision.allowed());
    return decision.allowed() ? "allowed" : "denied";
  }

  private static Stream<String> cells(String line) {
    return Stream.of(line.split("\\|", -1)).map(String::strip);
  }

  private static Duration duration(String text) {
    return Duration.ofNanos(micros(text) * 1_000);
  }

  /** The value of a sum such as {@code 1m + 2s - 1us}. */
  private static long micros(String text) {
    long sum = 0;
    Matcher matcher = TIME.matcher(text);
    int end = 0;
    while (end < text.length()) {
      if (!matcher.find(end) || matcher.start() != end) {
        throw new IllegalArgumentException("not a time: " + text);
      }
      long unit = matcher.group(3) == null ? 1 : MICROS_OF_UNIT.getOrDefault(matcher.group(3), 0L);
      long value = Long.parseLong(matcher.group(2)) * unit;
      sum += matcher.group(1).equals("-") ? -value : value;
      end = matcher.end();
    }
    return sum;
  }
}
