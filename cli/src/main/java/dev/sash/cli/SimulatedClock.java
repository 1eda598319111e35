package dev.sash.cli;

import dev.sash.MicroClock;
import java.util.concurrent.CompletableFuture;

/** A clock that stands still until it is set: three minutes of traffic pass in no time. */
final class SimulatedClock implements MicroClock {
  private volatile long micros;

  void set(long newMicros) {
    micros = newMicros;
  }

  @Override
  public long micros() {
    return micros;
  }

  /**
   * Never completes: only the store's clean-up of idle keys waits for the clock, and a run is over
   * before it would find any.
   */
  @Override
  public CompletableFuture<Void> after(long byMicros) {
    return new CompletableFuture<>();
  }
}
