package dev.sash.server;

import dev.sash.redis.RedisStore;
import dev.sash.server.statistics.Fleet;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Values in Redis, beside the counts of limits, in which servers publish their statistics. */
record StatisticsBoard(RedisStore store) implements Fleet.Board {
  /** Longer than a server takes to publish again, even one that is late. */
  private static final Duration TTL = Duration.ofSeconds(5);

  private static String name(int place) {
    return "statistics-" + place;
  }

  @Override
  public CompletionStage<Optional<byte[]>> replace(int place, byte[] summary) {
    return store.replaceShared(name(place), summary, TTL);
  }

  @Override
  public CompletionStage<Optional<byte[]>> read(int place) {
    return store.shared(name(place));
  }
}
