package dev.sash.testkit;

import dev.sash.MicroClock;
import dev.sash.RateLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A limiter whose clock remembers what was waited for. */
final class PausesOf extends ForwardingLimiter {
  private record Pause(long micros, CompletableFuture<Void> future) {}

  private final List<Pause> pauses = new ArrayList<>();

  PausesOf(RateLimiter limiter) {
    super(limiter);
  }

  /** How long was asked to wait, in microseconds, each time. */
  synchronized List<Long> pauses() {
    return pauses.stream().map(Pause::micros).toList();
  }

  /** How many waits have neither ended nor been cancelled. */
  synchronized int pending() {
    return (int) pauses.stream().filter(pause -> !pause.future.isDone()).count();
  }

  @Override
  public MicroClock clock() {
    MicroClock clock = limiter.clock();
    return new MicroClock() {
      @Override
      public long micros() {
        return clock.micros();
      }

      @Override
      public CompletableFuture<Void> after(long micros) {
        synchronized (PausesOf.this) {
          Pause pause = new Pause(micros, clock.after(micros));
          pauses.add(pause);
          return pause.future;
        }
      }
    };
  }

  @Override
  public String toString() {
    return "pauses " + pauses() + ", pending " + pending();
  }
}
