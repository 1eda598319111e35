package dev.sash.client;

import dev.sash.MicroClock;
import dev.sash.client.Admission.Attempt;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Admits calls, at once or after a wait. As long as no call to an origin waits, each call makes an
 * attempt of its own, and they do not wait for each other. Once one waits, all later ones queue
 * behind it.
 */
final class PendingCalls {
  private final Admission admission;
  private final MicroClock clock;
  private final Duration maxWait;
  private final int maxWaiting;
  private final AtomicInteger waiting = new AtomicInteger();
  private final ConcurrentHashMap<String, CallQueue> queues = new ConcurrentHashMap<>();

  PendingCalls(Admission admission, MicroClock clock, Duration maxWait, int maxWaiting) {
    this.admission = admission;
    this.clock = clock;
    this.maxWait = maxWait;
    this.maxWaiting = maxWaiting;
  }

  CompletableFuture<Void> begin(String origin) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    long deadline = clock.micros() + maxWait.toNanos() / 1_000;
    PendingCall call = new PendingCall(origin, deadline, result);
    CallQueue queue = queues.get(origin);
    if (queue == null) {
      var unused =
          admission.attempt(origin).whenComplete((attempt, failure) -> act(call, attempt, failure));
    } else {
      waitFor(call, queue.expected());
    }
    return result;
  }

  private void act(PendingCall call, @Nullable Attempt attempt, @Nullable Throwable failure) {
    if (attempt == null) {
      call.result().completeExceptionally(unwrapped(failure));
    } else if (!attempt.isAdmitted()) {
      waitFor(call, attempt);
    } else if (!call.result().complete(null)) {
      admission.giveBack(call.origin(), attempt); // cancelled meanwhile
    }
  }

  private void waitFor(PendingCall call, Attempt attempt) {
    if (attempt.waitMicros() > call.deadlineMicros() - clock.micros()) {
      failAsTooLate(call, attempt);
    } else if (waiting.incrementAndGet() > maxWaiting) {
      left();
      call.result()
          .completeExceptionally(
              new OutgoingLimitException(
                  call.origin(),
                  OutgoingLimitException.Reason.TOO_MANY_WAITING,
                  OutgoingLimitException.durationOf(attempt.waitMicros()),
                  "at most " + maxWaiting + " calls may wait, and as many do"));
    } else {
      enqueue(call, attempt);
    }
  }

  private void enqueue(PendingCall call, Attempt attempt) {
    CallQueue[] created = new CallQueue[1];
    CallQueue queue =
        queues.compute(
            call.origin(),
            (origin, present) -> {
              CallQueue found = present;
              if (found == null) {
                found = new CallQueue(origin, admission, clock, this);
                created[0] = found;
              }
              found.add(call);
              return found;
            });
    var unused =
        call.result()
            .whenComplete(
                (done, failure) -> {
                  if (queue.remove(call)) {
                    left(); // cancelled
                    stopIfEmpty(call.origin());
                  }
                });
    if (created[0] != null) {
      created[0].start(attempt);
    }
  }

  void failAsTooLate(PendingCall call, Attempt attempt) {
    call.failAsTooLate(attempt, maxWait);
  }

  /** Counts a call that does not wait any more. */
  void left() {
    waiting.decrementAndGet();
  }

  /** Ends a queue that makes no attempt at the moment, if no call is in it. */
  private void stopIfEmpty(String origin) {
    queues.computeIfPresent(origin, (key, queue) -> queue.stopIfEmpty() ? null : queue);
  }

  /** Ends a queue after an attempt, if no call is in it; returns whether it has ended. */
  boolean removeIfEmpty(String origin) {
    return queues.computeIfPresent(origin, (key, queue) -> queue.isEmpty() ? null : queue) == null;
  }

  static Throwable unwrapped(@Nullable Throwable failure) {
    Objects.requireNonNull(failure, "failure must not be null");
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
