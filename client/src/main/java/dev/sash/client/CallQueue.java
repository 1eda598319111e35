package dev.sash.client;

import dev.sash.MicroClock;
import dev.sash.client.Admission.Attempt;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of this process to one origin that are waiting, in order of arrival.
 *
 * <p>Only one attempt is made at a time, for the first in line: a permit that becomes available is
 * not fought for by all that wait, and costs one request to the store however many wait. When an
 * attempt fails it says when the next one can succeed. The calls that cannot wait so long fail at
 * once, the others sleep until then.
 */
final class CallQueue {
  private final String origin;
  private final Admission admission;
  private final MicroClock clock;
  private final PendingCalls owner;

  // All guarded by this.
  private final Set<PendingCall> calls = new LinkedHashSet<>();
  private CompletableFuture<Void> sleep = CompletableFuture.completedFuture(null);
  private long nextAttemptMicros;
  private boolean isPaused;

  CallQueue(String origin, Admission admission, MicroClock clock, PendingCalls owner) {
    this.origin = origin;
    this.admission = admission;
    this.clock = clock;
    this.owner = owner;
  }

  synchronized void add(PendingCall call) {
    calls.add(call);
  }

  synchronized boolean remove(PendingCall call) {
    return calls.remove(call);
  }

  /** Whether nothing is left to do: no call waits, and no attempt is on its way. */
  synchronized boolean stopIfEmpty() {
    return calls.isEmpty() && sleep.cancel(false);
  }

  synchronized boolean isEmpty() {
    return calls.isEmpty();
  }

  /** Returns what is known without an attempt: no call is admitted before the next attempt. */
  synchronized Attempt expected() {
    return new Attempt(Math.max(1, nextAttemptMicros - clock.micros()), isPaused, null);
  }

  /** Makes attempts until the queue is empty. Called once, by the thread that made the queue. */
  void start(Attempt first) {
    if (proceed(first, null)) {
      attempt();
    }
  }

  private void wakeUp() {
    if (!owner.removeIfEmpty(origin)) {
      attempt();
    }
  }

  private void attempt() {
    CompletableFuture<Attempt> attempt;
    do {
      attempt = admission.attempt(origin).toCompletableFuture();
      if (!attempt.isDone()) {
        // Not on a thread of the store.
        var unused =
            attempt.whenCompleteAsync(
                (result, failure) -> {
                  if (proceed(result, failure)) {
                    attempt();
                  }
                });
        return;
      }
    } while (attempt.handle(this::proceed).join());
  }

  /** Acts on the result of an attempt, and returns whether to make the next one now. */
  private boolean proceed(@Nullable Attempt attempt, @Nullable Throwable failure) {
    if (attempt == null) {
      var unused =
          finishFirst(call -> call.result().completeExceptionally(PendingCalls.unwrapped(failure)));
    } else if (!attempt.isAdmitted()) {
      return sleep(attempt);
    } else {
      admitFirst(attempt);
    }
    return !owner.removeIfEmpty(origin);
  }

  private void admitFirst(Attempt attempt) {
    boolean found =
        finishFirst(
            call -> {
              if (!call.result().complete(null)) {
                admission.giveBack(origin, attempt); // cancelled at the last moment
              }
            });
    if (!found) {
      admission.giveBack(origin, attempt); // all cancelled meanwhile
    }
  }

  /** Elsewhere, since callers may do whatever they like when a call is finished. */
  private boolean finishFirst(Consumer<PendingCall> finish) {
    PendingCall first;
    synchronized (this) {
      if (calls.isEmpty()) {
        return false;
      }
      first = calls.iterator().next();
      calls.remove(first);
    }
    owner.left();
    var unused = CompletableFuture.runAsync(() -> finish.accept(first));
    return true;
  }

  private boolean sleep(Attempt attempt) {
    List<PendingCall> tooLate = new ArrayList<>();
    boolean isAsleep;
    synchronized (this) {
      long now = clock.micros();
      for (PendingCall call : calls) {
        if (attempt.waitMicros() > call.deadlineMicros() - now) {
          tooLate.add(call);
        }
      }
      tooLate.forEach(calls::remove);
      isAsleep = !calls.isEmpty();
      if (isAsleep) {
        nextAttemptMicros = now + attempt.waitMicros();
        isPaused = attempt.isPaused();
        sleep = clock.after(attempt.waitMicros());
        var unused = sleep.thenRunAsync(this::wakeUp);
      }
    }
    for (PendingCall call : tooLate) {
      owner.left();
      var unused = CompletableFuture.runAsync(() -> owner.failAsTooLate(call, attempt));
    }
    // Calls may have been added since; then they are attempted at once.
    return !isAsleep && !owner.removeIfEmpty(origin);
  }
}
