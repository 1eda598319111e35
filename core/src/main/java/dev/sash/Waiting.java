package dev.sash;

import dev.sash.internal.Bounds;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Waits for permits: tries, waits as long as the decision says, and tries again. */
final class Waiting {
  /** A request for permits of one key. */
  interface Request {
    Decision tryAcquire();

    CompletionStage<Decision> tryAcquireAsync();

    /** Gives the permits back to where they were charged. */
    CompletionStage<Decision> refundAsync(Decision charged);
  }

  private final Request request;
  private final MicroClock clock;
  private final long deadlineMicros;

  /** The pause of an asynchronous request, if it waits at the moment. */
  private volatile CompletableFuture<Void> pause = CompletableFuture.completedFuture(null);

  private Waiting(Request request, MicroClock clock, Duration maxWait) {
    if (Objects.requireNonNull(maxWait, "maxWait must not be null").isNegative()) {
      throw new IllegalArgumentException("maxWait must be 0 or more, was " + maxWait);
    }
    this.request = request;
    this.clock = clock;
    long now = Math.max(0, clock.micros());
    // Saturates: a wait that ends after the end of time never ends.
    this.deadlineMicros = now + Math.min(Bounds.microsCeil(maxWait), Long.MAX_VALUE - now);
  }

  static Decision acquire(Request request, MicroClock clock, Duration maxWait)
      throws InterruptedException {
    Waiting waiting = new Waiting(request, clock, maxWait);
    while (true) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted before spending");
      }
      Decision decision = request.tryAcquire();
      if (waiting.isFinal(decision)) {
        return decision;
      }
      sleep(clock.after(Bounds.microsCeil(decision.retryAfter())));
    }
  }

  static CompletionStage<Decision> acquireAsync(
      Request request, MicroClock clock, Duration maxWait) {
    CompletableFuture<Decision> result = new CompletableFuture<>();
    Waiting waiting = new Waiting(request, clock, maxWait);
    waiting.tryInto(result);
    var unused = result.whenComplete((decision, failure) -> waiting.pause.cancel(false));
    return result;
  }

  private void tryInto(CompletableFuture<Decision> result) {
    if (result.isDone()) {
      return; // cancelled while waiting
    }
    request
        .tryAcquireAsync()
        .whenComplete((decision, failure) -> answer(result, decision, failure));
  }

  private void answer(
      CompletableFuture<Decision> result,
      @Nullable Decision decision,
      @Nullable Throwable failure) {
    if (decision == null) {
      result.completeExceptionally(Objects.requireNonNull(failure));
    } else if (!isFinal(decision)) {
      pauseAndTryAgain(result, Bounds.microsCeil(decision.retryAfter()));
    } else if (!result.complete(decision) && decision.allowed()) {
      var unused = request.refundAsync(decision); // cancelled at the last moment
    }
  }

  private void pauseAndTryAgain(CompletableFuture<Decision> result, long micros) {
    pause = clock.after(micros);
    if (result.isDone()) {
      pause.cancel(false); // cancelled meanwhile
    }
    var unused =
        pause
            .thenRunAsync(() -> tryInto(result))
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    result.completeExceptionally(failure);
                  }
                });
  }

  private boolean isFinal(Decision decision) {
    return decision.allowed()
        || decision.neverAllowed()
        || Bounds.microsCeil(decision.retryAfter()) > deadlineMicros - clock.micros();
  }

  private static void sleep(CompletableFuture<Void> pause) throws InterruptedException {
    try {
      pause.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the clock failed to wait", e.getCause());
    } finally {
      pause.cancel(false);
    }
  }
}
