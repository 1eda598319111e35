package dev.sash.store;

import dev.sash.internal.Timer;
import dev.sash.store.StoreException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The circuit breaker of one server. Opens after a few failures in a row; then nobody asks the
 * server, and probes in the background find out when it decides again.
 *
 * <p>A probe is a decision under the same deadline as the requests that failed, so that it fails
 * where they would: a server that is read-only, forbids scripts or is a little too slow does not
 * close the breaker. If the breaker opens again soon after it closed, it stays open for longer each
 * time.
 */
final class CircuitBreaker {
  private static final Logger LOG = LoggerFactory.getLogger(CircuitBreaker.class);
  private static final int FAILURES_TO_OPEN = 5;
  private static final int PROBES_TO_RECONNECT = 3;
  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_MILLIS = 1_000;
  private static final long LONGEST_FLAP_PAUSE_MILLIS = 30_000;

  /** A breaker that stays closed for this long has recovered. */
  private static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String name;
  private final Duration deadline;
  private final Supplier<CompletionStage<?>> probe;
  private final Runnable reconnect;
  private final AtomicInteger failuresInARow = new AtomicInteger();
  private final AtomicBoolean open = new AtomicBoolean();
  private final LongAdder refused = new LongAdder();
  private volatile boolean closed;

  // Written by the thread that opens the breaker, and by its probes, one after the other.
  private volatile long openedNanos;
  private volatile long closedNanos;
  private final AtomicInteger flaps = new AtomicInteger();
  private volatile String reason = "";

  CircuitBreaker(
      String name, Duration deadline, Supplier<CompletionStage<?>> probe, Runnable reconnect) {
    this.name = name;
    this.deadline = deadline;
    this.probe = probe;
    this.reconnect = reconnect;
  }

  boolean isOpen() {
    return open.get();
  }

  /** Returns what to throw instead of asking. */
  StoreException refusal() {
    refused.increment();
    return new StoreException(Reason.UNAVAILABLE, "circuit breaker is open: " + reason, null);
  }

  void onSuccess() {
    if (failuresInARow.get() != 0) {
      failuresInARow.set(0);
    }
  }

  void onFailure(StoreException failure) {
    if (failuresInARow.incrementAndGet() >= FAILURES_TO_OPEN && open.compareAndSet(false, true)) {
      refused.reset();
      reason = String.valueOf(failure.getMessage());
      openedNanos = System.nanoTime();
      boolean again = closedNanos != 0 && openedNanos - closedNanos < STABLE_NANOS;
      int flap = again ? flaps.incrementAndGet() : 0;
      flaps.set(flap);
      long pause = Math.min(LONGEST_FLAP_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(flap, 12));
      LOG.warn(
          "Circuit breaker of {} opened ({}): decisions use the failure rule until it responds"
              + " within {} ms",
          name,
          reason,
          deadline.toMillis());
      probeAfter(pause, 1);
    }
  }

  /** Ends the probing for good. */
  void close() {
    closed = true;
  }

  private void probeAfter(long pauseMillis, int attempt) {
    var unused =
        Timer.after(
            TimeUnit.MILLISECONDS.toNanos(pauseMillis),
            () -> {
              if (!closed) {
                probe(pauseMillis, attempt);
              }
            });
  }

  private void probe(long pauseMillis, int attempt) {
    CompletableFuture<Object> answer = ask();
    Timer.failAfter(answer, deadline.toNanos());
    var unused =
        answer.whenComplete(
            (done, failure) -> {
              if (failure == null) {
                recovered();
                return;
              }
              if (attempt % PROBES_TO_RECONNECT == 0) {
                reconnect.run();
              }
              long next = Math.max(pauseMillis, Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS));
              probeAfter(next, attempt + 1);
            });
  }

  private CompletableFuture<Object> ask() {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    try {
      probe
          .get()
          .whenComplete(
              (done, failure) -> {
                if (failure == null) {
                  answer.complete(name);
                } else {
                  answer.completeExceptionally(failure);
                }
              });
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
    }
    return answer;
  }

  private void recovered() {
    closedNanos = System.nanoTime();
    failuresInARow.set(0);
    open.set(false);
    LOG.info(
        "Circuit breaker of {} closed after {} ms; the failure rule made {} decisions meanwhile",
        name,
        TimeUnit.NANOSECONDS.toMillis(closedNanos - openedNanos),
        refused.sum());
  }
}
