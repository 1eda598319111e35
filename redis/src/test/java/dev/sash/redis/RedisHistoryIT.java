package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import dev.sash.testkit.HistoryContract;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
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

  /** Gives Redis more time than policies do by default: the machine may be busy. */
  private static final class PatientStore extends StoreDecorator {
    PatientStore(Store store) {
      super(store);
    }

    @Override
    public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
      return store.decide(operation, patient(limits), key, permits);
    }

    @Override
    public CompletionStage<Decision> decideAsync(
        Operation operation, ResolvedLimits limits, String key, long permits) {
      return store.decideAsync(operation, patient(limits), key, permits);
    }

    private static ResolvedLimits patient(ResolvedLimits limits) {
      Policy policy = limits.policy().withDeadline(Duration.ofSeconds(30));
      return new ResolvedLimits(policy, limits.limits());
    }
  }

  abstract static class OnRedis extends HistoryContract {
    private final Duration denyCacheTtl;
    private RedisStore store;

    OnRedis(Duration denyCacheTtl) {
      this.denyCacheTtl = denyCacheTtl;
    }

    @BeforeEach
    void connect() {
      server.command("FLUSHALL");
      store = RedisStore.builder().uri(server.uri()).denyCacheTtl(denyCacheTtl).connect();
    }

    @AfterEach
    void disconnect() {
      store.close();
    }

    @Override
    protected Store newStore() {
      return new PatientStore(store);
    }

    @Override
    protected MicroClock clockOf(Store store) {
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
