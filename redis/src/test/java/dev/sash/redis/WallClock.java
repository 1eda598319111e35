package dev.sash.redis;

import dev.sash.MicroClock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The clock that a Redis on the same machine decides by. */
enum WallClock implements MicroClock {
  INSTANCE;

  @Override
  public long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
