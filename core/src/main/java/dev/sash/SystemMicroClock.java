package dev.sash;

import java.util.concurrent.TimeUnit;

/** {@link MicroClock#system}. */
final class SystemMicroClock implements MicroClock {
  static final SystemMicroClock INSTANCE = new SystemMicroClock();

  private static final long EPOCH_MINUS_MONOTONIC_NANOS =
      TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();

  private SystemMicroClock() {}

  @Override
  public long micros() {
    return (System.nanoTime() + EPOCH_MINUS_MONOTONIC_NANOS) / 1_000;
  }

  @Override
  public String toString() {
    return "system clock";
  }
}
