package dev.sash.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.testkit.ManualClock;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/** Many threads, of which some change their mind. */
@Timeout(120)
class OutgoingStormTest {
  private static final int THREADS = 8;
  private static final int CALLS = 250;
  private static final List<URI> HOSTS =
      List.of(URI.create("https://a.example/"), URI.create("https://b.example/"));

  private final ManualClock clock = new ManualClock();
  private final WaitCountingStore store = new WaitCountingStore(clock);
  private final OutgoingLimiter limiter =
      OutgoingLimiter.builder(store)
          .policy(Policy.of("ours", Limit.parse("20/100ms")))
          .maxWait(Duration.ofSeconds(1))
          .maxWaiting(400)
          .build();
  private final List<CompletableFuture<Void>> calls =
      Collections.synchronizedList(new ArrayList<>());

  @RepeatedTest(3)
  void everyPermitIsSpentOnACallThatIsMadeAndNoCallIsForgotten() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Random random = new Random(i);
      Thread thread = new Thread(() -> callAndCancel(random));
      thread.start();
      threads.add(thread);
    }
    moveTheClockUntilEnded(threads);
    AtomicBoolean isDone = new AtomicBoolean();
    var unused =
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
            .whenComplete((done, failure) -> isDone.set(true));
    while (!isDone.get()) {
      clock.advance(Duration.ofMillis(10));
      Thread.sleep(1); // the others run on real threads
    }

    long admitted = calls.stream().filter(call -> !call.isCompletedExceptionally()).count();
    assertThat(calls).hasSize(THREADS * CALLS);
    assertThat(admitted).isPositive().isLessThan(THREADS * CALLS);
    // A permit is given back on another thread than that of the caller who cancels.
    while (store.spent() != admitted) {
      Thread.sleep(1);
    }
    assertThat(store.waiting()).isZero();
    asManyMayWaitAsBefore();
  }

  private void callAndCancel(Random random) {
    for (int i = 0; i < CALLS; i++) {
      URI host = HOSTS.get(random.nextInt(HOSTS.size()));
      CompletableFuture<Void> call = limiter.acquire(host).toCompletableFuture();
      calls.add(call);
      if (random.nextInt(3) == 0) {
        calls.get(random.nextInt(calls.size())).cancel(false);
      }
      if (random.nextInt(100) == 0) {
        var unused = limiter.learn(host, 503, name -> List.of("1"));
      }
    }
  }

  private void moveTheClockUntilEnded(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        clock.advance(Duration.ofMillis(1));
        thread.join(1);
      }
    }
  }

  private void asManyMayWaitAsBefore() {
    clock.advance(Duration.ofSeconds(2));
    for (int i = 0; i < 20; i++) {
      assertThat(limiter.acquire(HOSTS.get(0))).isCompleted();
    }
    for (int i = 0; i < 400; i++) {
      assertThat(limiter.acquire(HOSTS.get(0)).toCompletableFuture()).isNotDone();
    }
    assertThat(limiter.acquire(HOSTS.get(0)).toCompletableFuture()).isCompletedExceptionally();
  }
}
