package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Policy;
import dev.sash.memory.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/** Many requests from several threads that wait for each other's keys, and partly give up. */
@Timeout(60)
class MaxWaitStormTest {
  private static final int THREADS = 4;
  private static final int REQUESTS = 250;

  private final InMemoryStore store = InMemoryStore.create();
  private final HttpLimiter limiter =
      HttpLimiter.builder()
          .rule(
              HttpRule.forPaths("/a", "/ab")
                  .charge(charge("a", "20/20ms sliding-log"))
                  .thenContinue())
          .rule(
              HttpRule.forPaths("/b", "/ab", "/bc")
                  .charge(charge("b", "9/10ms token-bucket"))
                  .thenContinue())
          .rule(HttpRule.forPaths("/bc").charge(charge("c", "5/5ms fixed-window")).thenContinue())
          .build();

  private Charge charge(String policy, String limit) {
    return Charge.of(
            store.limiter(Policy.named(policy).withLimits(limit)), KeyExtractor.everybody())
        .cost(request -> request.header("X-Cost") == null ? 1 : 3)
        .maxWait(Duration.ofMillis(300), 150);
  }

  private List<CompletableFuture<Verdict>> send(long seed, CyclicBarrier start) throws Exception {
    Random random = new Random(seed);
    List<CompletableFuture<Verdict>> verdicts = new ArrayList<>();
    String[] paths = {"/a", "/b", "/ab", "/bc"};
    start.await();
    for (int i = 0; i < REQUESTS; i++) {
      TestRequest request = TestRequest.get(paths[random.nextInt(paths.length)]);
      if (random.nextInt(4) == 0) {
        request.header("X-Cost", "3");
      }
      CompletableFuture<Verdict> verdict = limiter.check(request).toCompletableFuture();
      verdicts.add(verdict);
      if (random.nextInt(8) == 0) {
        verdicts.get(random.nextInt(verdicts.size())).cancel(false);
      }
    }
    return verdicts;
  }

  @RepeatedTest(3)
  void everyRequestIsDecidedAndNoneIsLeftBehind() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      CyclicBarrier start = new CyclicBarrier(THREADS);
      List<Future<List<CompletableFuture<Verdict>>>> senders = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        long seed = i;
        senders.add(threads.submit(() -> send(seed, start)));
      }
      int admitted = 0;
      int denied = 0;
      for (Future<List<CompletableFuture<Verdict>>> sender : senders) {
        for (CompletableFuture<Verdict> verdict : sender.get(30, TimeUnit.SECONDS)) {
          if (!verdict.isCancelled()) {
            boolean allowed = verdict.get(30, TimeUnit.SECONDS).allowed();
            admitted += allowed ? 1 : 0;
            denied += allowed ? 0 : 1;
          }
        }
      }
      assertThat(admitted).isPositive();
      assertThat(denied).as("more than 150 do not wait").isPositive();
      while (limiter.keysWaitedFor() > 0) {
        Thread.sleep(1); // those that were withdrawn last
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
