package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A process of its own that asks for a few keys as fast as it can, and writes down what was
 * answered; for {@link RedisSafetyIT}. Its own clock is wrong.
 */
final class Hammer {
  static final Limit LIMIT = Limit.slidingLog(500, Duration.ofSeconds(1));
  static final int KEYS = 3;
  private static final int THREADS = 2;

  /** Denials that were remembered cost nothing: there would be more of them than memory. */
  private static final int REMEMBERED_DENIALS = 100_000;

  private static final Executor THREAD_EACH = task -> new Thread(task).start();

  private Hammer() {}

  /**
   * Asks.
   *
   * @param args the URI of Redis, by how many microseconds the clock is wrong, how many seconds to
   *     go on, and the file to write
   */
  public static void main(String[] args) throws Exception {
    long skewMicros = Long.parseLong(args[1]);
    MicroClock wrong = () -> WallClock.INSTANCE.micros() + skewMicros;
    // Four processes start at once, on a machine that may have other things to do.
    Duration patience = Duration.ofSeconds(30);
    try (RedisStore store =
        RedisStore.builder().uri(args[0]).connectTimeout(patience).clock(wrong).connect()) {
      RateLimiter limiter = store.limiter(Policy.of("hammered", LIMIT).withDeadline(patience));
      limiter.tryAcquire("the first answer is slow");
      long endMicros = WallClock.INSTANCE.micros() + Long.parseLong(args[2]) * 1_000_000;
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Path file = Path.of(args[3] + "." + i);
        callers.add(CompletableFuture.runAsync(() -> ask(limiter, endMicros, file), THREAD_EACH));
      }
      callers.forEach(CompletableFuture::join);
    }
  }

  private static void ask(RateLimiter limiter, long endMicros, Path file) {
    SplittableRandom random = new SplittableRandom();
    int remembered = 0;
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      for (long invoked = 0; invoked < endMicros; ) {
        int key = random.nextInt(KEYS);
        int permits = 1 + random.nextInt(3);
        invoked = WallClock.INSTANCE.micros();
        Decision decision = limiter.tryAcquire("key " + key, permits);
        if (decision.source() != Decision.Source.STORE
            && decision.source() != Decision.Source.DENY_CACHE) {
          throw new IllegalStateException("Redis did not decide: " + decision);
        }
        if (decision.source() == Decision.Source.DENY_CACHE && ++remembered > REMEMBERED_DENIALS) {
          continue;
        }
        out.writeByte(key);
        out.writeLong(invoked);
        out.writeLong(WallClock.INSTANCE.micros());
        out.writeInt(permits);
        out.writeBoolean(decision.allowed());
      }
    } catch (IOException e) {
      throw new IllegalStateException("cannot write what was answered", e);
    }
  }
}
