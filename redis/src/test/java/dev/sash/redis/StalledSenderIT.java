package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A thread that sends for others may be stopped in the middle of it: on a cold start by class
 * loading, or for want of a processor. Redis has not been asked meanwhile, and is not to blame.
 */
@Timeout(60)
@ExtendWith(ConnectedBefore.class)
class StalledSenderIT {
  private static final Duration STALL = Duration.ofMillis(300);
  private static final Policy POLICY = Policy.of("api", Limit.parse("50/1h"));
  private static final Executor THREAD_EACH = task -> new Thread(task).start();

  /** Stops the thread that sends the first decision, before anything is written. */
  private static final class Stall implements CommandListener {
    private final AtomicBoolean armed = new AtomicBoolean();
    private final CountDownLatch begun = new CountDownLatch(1);

    @Override
    public void commandStarted(CommandStartedEvent event) {
      if (event.getCommand().getType() == CommandType.EVALSHA && armed.compareAndSet(true, false)) {
        begun.countDown();
        Callers.pause(STALL);
      }
    }
  }

  @Test
  void redisDecidesAlthoughAnotherThreadIsStoppedWhileItSends() throws Exception {
    Stall stall = new Stall();
    try (RedisServer server = RedisServer.start();
        RedisClient client = RedisClient.create(server.uri())) {
      client.setOptions(RedisStore.clientOptions().build());
      client.addListener(stall);
      try (RedisStore store =
          RedisStore.builder().client(client).denyCacheTtl(Duration.ZERO).connect()) {
        RateLimiter limiter = store.limiter(POLICY);
        stall.armed.set(true);
        List<CompletableFuture<Decision>> decisions = new ArrayList<>();
        decisions.add(CompletableFuture.supplyAsync(() -> limiter.tryAcquire("k"), THREAD_EACH));
        assertThat(stall.begun.await(10, TimeUnit.SECONDS)).as("somebody sends").isTrue();
        for (int i = 0; i < 50; i++) {
          decisions.add(CompletableFuture.supplyAsync(() -> limiter.tryAcquire("k"), THREAD_EACH));
          decisions.add(limiter.tryAcquireAsync("k", 1).toCompletableFuture());
        }
        assertThat(decisions)
            .extracting(decision -> decision.join().source())
            .containsOnly(Source.STORE);
        assertThat(decisions).filteredOn(decision -> decision.join().allowed()).hasSize(50);
      }
    }
  }
}
