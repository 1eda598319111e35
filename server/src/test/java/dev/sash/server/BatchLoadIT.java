package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A server that has thousands of requests to a healthy Redis in flight at once. */
class BatchLoadIT {
  private static final int CLIENTS = 4;
  private static final int BATCHES = 25;
  private static final int BATCH = 1_000;

  /** With time enough: a process that is cold would miss the default deadline by itself. */
  @Test
  void largeBatchesInParallelAreDecidedByRedisAndDoNotOpenTheCircuitBreaker() throws Exception {
    String yaml = "policies: {api: {limit: 1000000/1h, deadline: 10s}}";
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try (RedisServer redis = RedisServer.start();
        TestServer server =
            TestServer.start(yaml, options -> options.withRedis(List.of(redis.uri())))) {
      List<Callable<String>> callers = new ArrayList<>();
      for (int i = 0; i < CLIENTS * BATCHES; i++) {
        String batch = batch(i);
        callers.add(() -> server.post("/v1/check:batch", batch).body());
      }
      int byTheStore = 0;
      for (Future<String> answer : clients.invokeAll(callers)) {
        byTheStore += count(answer.get(), "\"source\":\"store\"");
      }
      assertThat(byTheStore).isEqualTo(CLIENTS * BATCHES * BATCH);
      assertThat(server.get("/readyz").body()).contains("\"storeUp\":true");
      assertThat(fallbacks(server)).isZero();
    } finally {
      clients.shutdownNow();
    }
  }

  private static String batch(int number) {
    return IntStream.range(0, BATCH)
        .mapToObj(i -> "{\"policy\":\"api\",\"key\":\"%d-%d\"}".formatted(number, i))
        .collect(Collectors.joining(",", "{\"requests\":[", "]}"));
  }

  private static int fallbacks(TestServer server) {
    String metrics = server.get("/metrics").body();
    return (int)
        Double.parseDouble(
            metrics.replaceAll("(?s).*sash_fallbacks_total\\{policy=\"api\"} ([0-9.E]+).*", "$1"));
  }

  private static int count(String text, String part) {
    return text.split(part, -1).length - 1;
  }
}
