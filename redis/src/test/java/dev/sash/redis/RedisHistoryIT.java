package dev.sash.redis;

import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.HistoryContract;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/** Many threads on few keys, by the real clock of Redis. */
class RedisHistoryIT {
  private static RedisServer server;

  @BeforeAll
  static void startServer() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Nested
  class AskingEveryTime extends OnRedis {
    AskingEveryTime() {
      super(Duration.ZERO);
    }
  }

  @Nested
  class BelievingDenials extends OnRedis {
    BelievingDenials() {
      super(Duration.ofSeconds(1));
    }
  }

  abstract static class OnRedis extends HistoryContract {
    private final Duration believeDenialsFor;
    private RedisStore store;

    OnRedis(Duration believeDenialsFor) {
      this.believeDenialsFor = believeDenialsFor;
    }

    @BeforeEach
    void connect() {
      server.command("FLUSHALL");
      store = RedisStore.builder().uri(server.uri()).believeDenialsFor(believeDenialsFor).connect();
    }

    @AfterEach
    void disconnect() {
      store.close();
    }

    @Override
    protected RateLimiter newLimiter(Policy policy) {
      return store.limiter(policy.deadline(Duration.ofSeconds(30)));
    }

    @Override
    protected MicroClock clockOf(RateLimiter limiter) {
      return WallClock.INSTANCE;
    }

    @Override
    protected int slowness() {
      return 100;
    }

    @Override
    protected long decisions() {
      return super.decisions() / 50;
    }
  }
}
