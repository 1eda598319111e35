package dev.sash.http.internal;

import dev.sash.Decision;
import dev.sash.MicroClock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request that is being decided, and may wait. */
public final class WaitingRequest {
  /**
   * How a request was decided.
   *
   * @param decisions those of the charges of an earlier limiter, if they were repeated, and then
   *     those of the charges of this one
   * @param repeated the number of charges that were repeated; negative if what the earlier limiter
   *     charged has never been refunded
   */
  public record Outcome(List<Decision> decisions, int repeated) {}

  /**
   * What an earlier limiter has charged.
   *
   * @param charges returns the charges to repeat after a refund
   * @param refund refunds them
   */
  public record Earlier(
      Supplier<? extends List<? extends WaitingCharge>> charges,
      Supplier<? extends CompletionStage<?>> refund) {}

  private final long ticket;
  private final MicroClock clock;
  private final long arrivalMicros;
  private final List<? extends WaitingCharge> charges;
  private final @Nullable Earlier earlier;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

  /** The charges of the earlier limiter, once they are refunded; null before. */
  private volatile @Nullable List<? extends WaitingCharge> repeated;

  // The rest is guarded by the WaitingRequests.
  private final Set<WaitingLine> lines = new LinkedHashSet<>();
  private boolean isBusy = true;
  private boolean isTooLate;
  private long retryMicros;
  private long deadlineMicros = Long.MAX_VALUE;
  private CompletableFuture<Void> alarm = CompletableFuture.completedFuture(null);

  /**
   * @param ticket the order of arrival
   * @param charges those of this limiter, at least one
   * @param earlier what an earlier limiter has charged; null if there is none
   */
  WaitingRequest(long ticket, List<? extends WaitingCharge> charges, @Nullable Earlier earlier) {
    this.ticket = ticket;
    this.charges = charges;
    this.earlier = earlier;
    this.clock = charges.get(0).target().clock();
    this.arrivalMicros = clock.micros();
  }

  long ticket() {
    return ticket;
  }

  MicroClock clock() {
    return clock;
  }

  long arrivalMicros() {
    return arrivalMicros;
  }

  /**
   * Returns how the request is decided.
   *
   * @return completes when the request is admitted or denied
   */
  public CompletableFuture<Outcome> outcome() {
    return outcome;
  }

  /** Returns what is to be charged. */
  List<? extends WaitingCharge> charges() {
    List<? extends WaitingCharge> before = repeated;
    if (before == null) {
      return charges;
    }
    List<WaitingCharge> all = new ArrayList<WaitingCharge>(before);
    all.addAll(charges);
    return all;
  }

  Outcome outcomeOf(List<Decision> decisions) {
    List<? extends WaitingCharge> before = repeated;
    return new Outcome(decisions, before == null ? -1 : before.size());
  }

  /** Refunds what the earlier limiter has charged: nothing stays charged while a request waits. */
  CompletableFuture<?> refundEarlier() {
    if (earlier == null || repeated != null) {
      return CompletableFuture.completedFuture(null);
    }
    repeated = earlier.charges().get();
    return earlier.refund().get().toCompletableFuture();
  }

  Set<WaitingLine> lines() {
    return lines;
  }

  /** Returns whether no request that has arrived earlier waits for the same. */
  boolean isFirst() {
    for (WaitingLine line : lines) {
      if (line.first() != this) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether an attempt is being made. */
  boolean isBusy() {
    return isBusy;
  }

  void setBusy(boolean busy) {
    isBusy = busy;
  }

  /** Returns whether the request ends with the next attempt, as its turn would come too late. */
  boolean isTooLate() {
    return isTooLate;
  }

  void setTooLate() {
    isTooLate = true;
  }

  /** Returns the earliest time at which an attempt can succeed. */
  long retryMicros() {
    return retryMicros;
  }

  void setRetryMicros(long micros) {
    retryMicros = micros;
  }

  /** Returns the latest time at which the request may be admitted. */
  long deadlineMicros() {
    return deadlineMicros;
  }

  void setDeadlineMicros(long micros) {
    deadlineMicros = micros;
  }

  CompletableFuture<Void> alarm() {
    return alarm;
  }

  void setAlarm(CompletableFuture<Void> newAlarm) {
    alarm.cancel(false);
    alarm = newAlarm;
  }
}
