package dev.sash.benchmarks.redis;

import static dev.sash.benchmarks.redis.RedisContender.BUCKET4J;
import static dev.sash.benchmarks.redis.RedisContender.REDISSON;
import static dev.sash.benchmarks.redis.RedisContender.SASH_BUCKET;
import static dev.sash.benchmarks.redis.RedisContender.SASH_CELLS;
import static dev.sash.benchmarks.redis.RedisContender.SASH_COUNTER_BELIEVING;
import static dev.sash.benchmarks.redis.RedisContender.SASH_FIXED;
import static dev.sash.benchmarks.redis.RedisContender.SASH_LOG_BELIEVING;
import static dev.sash.benchmarks.redis.RedisContender.SORTED_SET;
import static java.util.Objects.requireNonNull;

import dev.sash.benchmarks.Asked;
import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.redis.RedisContender.Task;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What Redis keeps for one key that has spent all it may, over all the keys it is made of. */
final class KeyMemory {
  private static final int CALLERS = 16;
  private static final List<RedisContender> CONTENDERS =
      List.of(
          SASH_LOG_BELIEVING,
          SASH_CELLS,
          SASH_COUNTER_BELIEVING,
          SASH_FIXED,
          SASH_BUCKET,
          SORTED_SET,
          BUCKET4J,
          REDISSON);
  private static final List<Integer> SIZES = List.of(10, 100, 1_000, 10_000, 100_000);
  private static final Duration WINDOW = Duration.ofMinutes(10);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final double NEARLY_ALL = 0.99;

  private final RedisServer server;
  private final Clients clients;
  private final List<Integer> sizes;
  private final Map<Row, Map<Integer, Double>> rows = new LinkedHashMap<>();

  /** A limiter, and how many callers spend the limit of the key at the same time. */
  private record Row(RedisContender contender, int callers) {
    String label() {
      return callers == 1 ? contender.label() + ", one request after another" : contender.label();
    }
  }

  KeyMemory(RedisServer server, Clients clients, boolean quick) {
    this.server = server;
    this.clients = clients;
    this.sizes = quick ? SIZES.subList(0, SIZES.size() - 1) : SIZES;
  }

  void measure() {
    measure(new Row(SASH_LOG_BELIEVING, 1));
    CONTENDERS.forEach(contender -> measure(new Row(contender, CALLERS)));
  }

  private void measure(Row row) {
    Map<Integer, Double> bytes = rows.computeIfAbsent(row, same -> new HashMap<>());
    try (Callers callers = new Callers(row.callers)) {
      for (int requests : sizes) {
        double sum = measure(callers, row.contender, requests);
        if (Double.isNaN(sum)) {
          System.out.printf("  %-60s %,8d requests take too long%n", row.label(), requests);
          break;
        }
        bytes.put(requests, sum);
        System.out.printf("  %-60s %,8d requests %,12.0f B%n", row.label(), requests, sum);
      }
    }
  }

  /** Returns the bytes of a key that has spent its limit, NaN if it takes too long to spend it. */
  private double measure(Callers callers, RedisContender contender, int requests) {
    server.command("FLUSHALL", "SYNC");
    String key = "user:1";
    Asked asked = contender.limiter(clients, new Task(List.of(key), requests, WINDOW));
    long allowed = callers.spend(asked, key, requests, PATIENCE);
    if (allowed < 0) {
      return Double.NaN;
    }
    if (allowed < NEARLY_ALL * requests) {
      throw new IllegalStateException(
          "%s allowed %d of its %d permits".formatted(contender.label(), allowed, requests));
    }
    return clients.lettuce().sync().keys("*").stream().mapToLong(this::bytesOf).sum();
  }

  private long bytesOf(String redisKey) {
    Object bytes = server.command("MEMORY", "USAGE", redisKey, "SAMPLES", "0"); // 0: look at all
    return (Long) requireNonNull(bytes, redisKey);
  }

  /** Bytes of the exact log for each of a number of requests that came one after another. */
  double perLoneRequest(int requests) {
    Map<Integer, Double> bytes = rows.getOrDefault(new Row(SASH_LOG_BELIEVING, 1), Map.of());
    return bytes.getOrDefault(requests, Double.NaN) / requests;
  }

  void describe(Report report) {
    report.section("Memory");
    report.paragraph(
        "`MEMORY USAGE` of all Redis keys that belong to one key which has spent its limit, in"
            + " bytes (and per request). %d callers spend it, unless the row says otherwise: of"
                .formatted(CALLERS)
            + " Sash's log, requests that are decided in the same call share a record.");
    List<String> headings = new ArrayList<>(List.of("limit"));
    sizes.stream().map("%,d"::formatted).forEach(headings::add);
    report.table(headings.toArray(String[]::new));
    rows.forEach(
        (row, bytes) -> {
          List<String> cells = new ArrayList<>(List.of(row.label()));
          for (int requests : sizes) {
            double sum = bytes.getOrDefault(requests, Double.NaN);
            cells.add(
                Double.isNaN(sum)
                    ? "took too long"
                    : String.format("%,.0f (%.2f)", sum, sum / requests));
          }
          report.row(cells.toArray(String[]::new));
        });
  }
}
