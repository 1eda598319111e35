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
import java.util.List;
import java.util.Map;

/** What Redis keeps for one key that has spent all it may, over all the keys it is made of. */
final class KeyMemory {
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
  private final Map<List<Object>, Double> bytes = new HashMap<>();

  KeyMemory(RedisServer server, Clients clients, boolean quick) {
    this.server = server;
    this.clients = clients;
    this.sizes = quick ? SIZES.subList(0, SIZES.size() - 1) : SIZES;
  }

  void measure() {
    try (Callers callers = new Callers(16)) {
      for (RedisContender contender : CONTENDERS) {
        for (int requests : sizes) {
          if (!measure(callers, contender, requests)) {
            System.out.printf("  %-40s %,d requests take too long%n", contender.label(), requests);
            break;
          }
        }
      }
    }
  }

  private boolean measure(Callers callers, RedisContender contender, int requests) {
    server.command("FLUSHALL", "SYNC");
    String key = "user:1";
    Asked asked = contender.limiter(clients, new Task(List.of(key), requests, WINDOW));
    long allowed = callers.spend(asked, key, requests, PATIENCE);
    if (allowed < 0) {
      return false;
    }
    if (allowed < NEARLY_ALL * requests) {
      throw new IllegalStateException(
          "%s allowed %d of its %d permits".formatted(contender.label(), allowed, requests));
    }
    double sum = clients.lettuce().sync().keys("*").stream().mapToLong(this::bytesOf).sum();
    bytes.put(List.of(contender, requests), sum);
    System.out.printf("  %-40s %,8d requests %,12.0f B%n", contender.label(), requests, sum);
    return true;
  }

  private long bytesOf(String redisKey) {
    Object bytes = server.command("MEMORY", "USAGE", redisKey, "SAMPLES", "0"); // 0: look at all
    return (Long) requireNonNull(bytes, redisKey);
  }

  /** Bytes per request of a key with a number of requests; NaN if it was not measured. */
  double perRequest(RedisContender contender, int requests) {
    return bytes.getOrDefault(List.of(contender, requests), Double.NaN) / requests;
  }

  void describe(Report report) {
    report.section("Memory");
    report.paragraph(
        "`MEMORY USAGE` of all Redis keys that belong to one key which has spent its limit, in"
            + " bytes (and per request).");
    List<String> headings = new ArrayList<>(List.of("limit"));
    sizes.stream().map("%,d"::formatted).forEach(headings::add);
    report.table(headings.toArray(String[]::new));
    for (RedisContender contender : CONTENDERS) {
      List<String> cells = new ArrayList<>(List.of(contender.label()));
      for (int requests : sizes) {
        double each = perRequest(contender, requests);
        cells.add(
            Double.isNaN(each)
                ? "took too long"
                : String.format("%,.0f (%.2f)", each * requests, each));
      }
      report.row(cells.toArray(String[]::new));
    }
  }
}
