package dev.sash.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps callers from waiting for a Redis that does not answer: after a few failures in a row nobody
 * asks any more, and probes in the background find out when asking is worth while again.
 *
 * <p>A probe writes, to a key of its own, so that it fails where a decision would: a server that is
 * read-only, full or loading answers PING. It spends nobody's permits.
 */
final class Breaker {
  private static final Logger LOG = LoggerFactory.getLogger(Breaker.class);
  private static final int FAILURES_TO_OPEN = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration PROBE_DEADLINE = Duration.ofMillis(500);

  /** What a breaker stands in front of. */
  interface Server {
    /** How people know it. */
    String name();

    /** Completes if a decision would probably be made now. */
    CompletionStage<?> probe();

    /** Drops the connection for another one: probes are not even answered. */
    void renewConnection();
  }

  private final Server server;
  private final AtomicInteger failuresInARow = new AtomicInteger();
  private final AtomicBoolean open = new AtomicBoolean();
  private final LongAdder refused = new LongAdder();
  private volatile boolean closed;

  Breaker(Server server) {
    this.server = server;
  }

  /** Whether it is no use to ask now. */
  boolean isOpen() {
    return open.get();
  }

  void onSuccess() {
    if (failuresInARow.get() != 0) {
      failuresInARow.set(0);
    }
  }

  void onFailure(Throwable failure) {
    if (failuresInARow.incrementAndGet() >= FAILURES_TO_OPEN && open.compareAndSet(false, true)) {
      refused.reset();
      LOG.warn(
          "{} does not decide ({}): failure rules do until it answers",
          server.name(),
          Failures.describe(failure));
      probeAfter(FIRST_PAUSE, System.nanoTime());
    }
  }

  /** Counts a decision that a failure rule had to make. */
  void onRefused() {
    refused.increment();
  }

  /** Ends the probing for good. */
  void close() {
    closed = true;
  }

  private void probeAfter(Duration pause, long openedNanos) {
    CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS)
        .execute(() -> probe(pause, openedNanos));
  }

  private void probe(Duration pause, long openedNanos) {
    if (closed) {
      return;
    }
    var unused =
        askForProbe()
            .orTimeout(PROBE_DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null) {
                    close(openedNanos);
                  } else {
                    if (failure instanceof TimeoutException) {
                      server.renewConnection();
                    }
                    Duration twice = pause.multipliedBy(2);
                    probeAfter(
                        twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE, openedNanos);
                  }
                });
  }

  private CompletableFuture<?> askForProbe() {
    try {
      return server.probe().toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void close(long openedNanos) {
    failuresInARow.set(0);
    open.set(false);
    LOG.info(
        "{} decides again after {} ms; failure rules made {} decisions meanwhile",
        server.name(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - openedNanos),
        refused.sum());
  }
}
