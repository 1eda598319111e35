package dev.sash.client;

import dev.sash.Decision;
import dev.sash.MicroClock;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.StoreDecorator;
import dev.sash.testkit.ManualClock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An in-memory store that counts the waits of its callers, without those of its own, and the
 * permits of the policy "ours".
 */
final class WaitCountingStore extends StoreDecorator implements MicroClock {
  private final ManualClock clock;
  private final AtomicLong spent = new AtomicLong();
  private final List<CompletableFuture<Void>> waits = new CopyOnWriteArrayList<>();

  WaitCountingStore(ManualClock clock) {
    super(InMemoryStore.builder().clock(clock).build());
    this.clock = clock;
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    Decision decision = store.decide(operation, limits, key, permits);
    if (limits.policy().name().equals("ours")) {
      if (operation == Operation.ACQUIRE && decision.allowed()) {
        spent.addAndGet(permits);
      } else if (operation == Operation.REFUND) {
        spent.addAndGet(-permits);
      }
    }
    return decision;
  }

  @Override
  public MicroClock clock() {
    return this;
  }

  @Override
  public long micros() {
    return clock.micros();
  }

  @Override
  public CompletableFuture<Void> after(long micros) {
    CompletableFuture<Void> wait = clock.after(micros);
    waits.add(wait);
    return wait;
  }

  /** Returns the permits that were acquired and not given back. */
  long spent() {
    return spent.get();
  }

  /** Returns the number of waits that have neither ended nor been cancelled. */
  int waiting() {
    waits.removeIf(CompletableFuture::isDone);
    return waits.size();
  }
}
