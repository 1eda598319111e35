package dev.sash.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A call that is to be made when it is admitted.
 *
 * @param origin the origin to be called
 * @param deadlineMicros the latest time at which it may be admitted
 * @param result completes when it is admitted, or with the reason why it will not be made
 */
record PendingCall(String origin, long deadlineMicros, CompletableFuture<Void> result) {
  /** Fails because the next attempt would come too late. */
  void failAsTooLate(Admission.Attempt attempt, Duration maxWait) {
    Duration wait = OutgoingLimitException.durationOf(attempt.waitMicros());
    result.completeExceptionally(
        attempt.isPaused()
            ? new OutgoingLimitException(
                origin,
                OutgoingLimitException.Reason.PAUSE,
                wait,
                "it may be called again in " + wait + ", and the longest wait is " + maxWait)
            : new OutgoingLimitException(
                origin,
                OutgoingLimitException.Reason.LIMIT,
                wait,
                "the next permit is available in "
                    + wait
                    + ", and the longest wait is "
                    + maxWait));
  }
}
