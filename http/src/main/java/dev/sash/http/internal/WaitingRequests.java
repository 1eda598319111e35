package dev.sash.http.internal;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests that may wait for permits. Thread-safe; no thread waits.
 *
 * <p>There is a line for each policy and key that a request waits for, and only as long as one
 * does. A request is in the lines of all keys that have denied it, ordered by arrival, and makes
 * attempts only while it is the first of each. Therefore:
 *
 * <ul>
 *   <li>requests of one key are admitted in order of arrival. A newcomer whose key has a line joins
 *       it without an attempt; a request for other keys passes;
 *   <li>they cannot block each other: of all requests that wait, the one that arrived earliest is
 *       the first in each of its lines;
 *   <li>each wait costs the store a few requests, however many requests wait.
 * </ul>
 *
 * <p>An attempt charges all policies or none, so nothing is charged during a wait. What an earlier
 * limiter has charged is refunded before the wait, and is then part of each further attempt.
 *
 * <p>A request that is not first sleeps until it is, or until its deadline, and is denied before
 * that as soon as those ahead of it cannot be admitted in time.
 */
public final class WaitingRequests {
  private final AtomicLong tickets = new AtomicLong();

  /** Changed by those who hold the lock only; read by all. */
  private final Map<WaitingLine.Name, WaitingLine> lines = new ConcurrentHashMap<>();

  private final Map<String, Integer> waiting = new HashMap<>();

  /** Creates an instance for which no request waits. */
  public WaitingRequests() {}

  /** A charge of a key that others wait for: the request must not overtake them. */
  private record Behind(WaitingCharge charge, long waitMicros) implements AllOrNothing.Part {
    @Override
    public String policy() {
      return charge.policy();
    }

    @Override
    public long permits() {
      return charge.permits();
    }

    /** Denies, with the state of the key. */
    @Override
    public CompletionStage<Decision> tryAcquire(long permits) {
      for (Limit limit : charge.target().limits()) {
        if (charge.permits() > limit.capacity()) {
          return charge.tryAcquire(charge.permits()); // never admitted
        }
      }
      return charge.tryAcquire(0).thenApply(this::denied);
    }

    private Decision denied(Decision state) {
      return state.source() == Source.FAILURE_RULE
          ? state // unknown; nothing is charged either
          : state.deniedFor(Math.max(1, waitMicros));
    }

    @Override
    public CompletionStage<Decision> refund(Decision charged) {
      throw new IllegalStateException("charges nothing");
    }
  }

  /**
   * Begins to decide a request.
   *
   * @param charges at least one
   * @param earlier what an earlier limiter has charged; null if there is none
   * @return the request, whose outcome may be complete already
   */
  public WaitingRequest begin(
      List<? extends WaitingCharge> charges, WaitingRequest.@Nullable Earlier earlier) {
    WaitingRequest request = new WaitingRequest(tickets.incrementAndGet(), charges, earlier);
    attempt(request);
    return request;
  }

  /**
   * Withdraws a request; what is charged nevertheless is refunded.
   *
   * @param request the request
   */
  public void withdraw(WaitingRequest request) {
    if (request.outcome().cancel(false)) {
      leave(request);
    }
  }

  /**
   * Returns the number of lines.
   *
   * @return 0 if no request waits
   */
  public int lines() {
    return lines.size();
  }

  private void attempt(WaitingRequest request) {
    List<? extends WaitingCharge> charges = request.charges();
    AllOrNothing.Part[] parts = charges.toArray(AllOrNothing.Part[]::new);
    boolean isRefused = !lines.isEmpty() && !stayBehind(request, charges, parts);
    // Those that are known to deny come first, so that the others are not charged in vain.
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < parts.length; i++) {
      order.add(i);
    }
    order.sort(Comparator.comparing(i -> !(parts[i] instanceof Behind)));
    var unused =
        AllOrNothing.tryAcquire(order.stream().map(i -> parts[i]).toList())
            .whenComplete(
                (ordered, failure) -> {
                  if (ordered == null) {
                    fail(request, failure);
                    return;
                  }
                  Decision[] decisions = new Decision[parts.length];
                  for (int i = 0; i < parts.length; i++) {
                    decisions[order.get(i)] = ordered.get(i);
                  }
                  try {
                    decided(request, charges, parts, Arrays.asList(decisions), isRefused);
                  } catch (RuntimeException e) {
                    fail(request, e);
                  }
                });
  }

  /**
   * Replaces the charges of keys that earlier requests wait for, and joins these.
   *
   * @return false if too many requests wait already, or the turn of this one comes too late
   */
  private synchronized boolean stayBehind(
      WaitingRequest request, List<? extends WaitingCharge> charges, AllOrNothing.Part[] parts) {
    boolean hasJoined = !request.isTooLate();
    for (int i = 0; i < parts.length; i++) {
      WaitingCharge charge = charges.get(i);
      WaitingLine line = charge.mayWait() ? lines.get(WaitingLine.Name.of(charge)) : null;
      if (line != null && line.isBehind(request)) {
        long now = request.clock().micros();
        parts[i] = new Behind(charge, line.leastWaitMicros(request, charge.permits(), now));
        hasJoined &= join(request, charge);
      }
    }
    return hasJoined;
  }

  private void decided(
      WaitingRequest request,
      List<? extends WaitingCharge> charges,
      AllOrNothing.Part[] parts,
      List<Decision> decisions,
      boolean isRefused) {
    if (isRefused || !waits(request, charges, parts, decisions)) {
      finish(request, charges, decisions);
      return;
    }
    var unused =
        request
            .refundEarlier()
            .whenComplete(
                (refunded, failure) -> {
                  synchronized (this) {
                    request.setBusy(false);
                    schedule(request);
                    request.lines().forEach(this::wakeThoseTooLate);
                  }
                });
  }

  /** Returns whether a request waits; it is then in the lines of all that deny it. */
  private synchronized boolean waits(
      WaitingRequest request,
      List<? extends WaitingCharge> charges,
      AllOrNothing.Part[] parts,
      List<Decision> decisions) {
    long now = request.clock().micros();
    boolean isDenied = false;
    long wait = 0;
    long left = Long.MAX_VALUE;
    for (int i = 0; i < parts.length; i++) {
      WaitingCharge charge = charges.get(i);
      Decision decision = decisions.get(i);
      if (!decision.allowed() && charge.isBinding()) {
        if (charge.maxWaitMicros() == 0
            || decision.neverAllowed()
            || decision.source() == Source.FAILURE_RULE) {
          return false;
        }
        isDenied = true;
        wait =
            Math.max(
                wait,
                parts[i] instanceof Behind behind
                    ? behind.waitMicros()
                    : decision.retryAfterMicros());
        left = Math.min(left, request.arrivalMicros() + charge.maxWaitMicros() - now);
      }
    }
    // At its deadline, a request whose turn may come at any moment still waits for it.
    if (!isDenied || wait > Math.max(0, left) || request.outcome().isDone()) {
      return false;
    }
    request.setDeadlineMicros(now + left);
    request.setRetryMicros(now);
    return joinAll(request, charges, parts, decisions, now);
  }

  private boolean joinAll(
      WaitingRequest request,
      List<? extends WaitingCharge> charges,
      AllOrNothing.Part[] parts,
      List<Decision> decisions,
      long now) {
    for (int i = 0; i < parts.length; i++) {
      WaitingCharge charge = charges.get(i);
      if (!decisions.get(i).allowed() && charge.isBinding()) {
        if (!join(request, charge)) {
          return false;
        }
        if (!(parts[i] instanceof Behind)) {
          long retry = now + decisions.get(i).retryAfterMicros();
          request.setRetryMicros(Math.max(request.retryMicros(), retry));
          WaitingLine line = lines.get(WaitingLine.Name.of(charge));
          if (line != null && line.first() == request) {
            line.firstFitsAt(retry);
          }
        }
      }
    }
    return true;
  }

  /** Returns false if too many requests wait already. */
  private boolean join(WaitingRequest request, WaitingCharge charge) {
    WaitingLine line = lines.get(WaitingLine.Name.of(charge));
    if (line != null && line.contains(request)) {
      return true;
    }
    int count = waiting.getOrDefault(charge.policy(), 0);
    if (count >= charge.maxWaiting() || request.outcome().isDone()) {
      return false;
    }
    if (line == null) {
      line = new WaitingLine(charge);
      lines.put(line.name(), line);
    }
    line.add(request, charge.permits());
    request.lines().add(line);
    waiting.put(charge.policy(), count + 1);
    return true;
  }

  /** Sets when the next attempt is made, unless one is being made. */
  private void schedule(WaitingRequest request) {
    if (request.isBusy() || request.isTooLate() || request.outcome().isDone()) {
      return;
    }
    long now = request.clock().micros();
    if (request.isFirst()) {
      wakeAfter(request, request.retryMicros() - now);
    } else if (request.deadlineMicros() > now) {
      wakeAfter(request, request.deadlineMicros() - now);
    }
  }

  private void wakeAfter(WaitingRequest request, long micros) {
    CompletableFuture<Void> alarm = request.clock().after(micros);
    request.setAlarm(alarm);
    var unused = alarm.thenRunAsync(() -> wakeUp(request, alarm));
  }

  /** Lets those go whose turn would come too late, when the first of a line has changed. */
  private void wakeThoseTooLate(WaitingLine line) {
    for (WaitingRequest each : line.tooLate(line.first().clock().micros())) {
      if (!each.isBusy() && !each.isTooLate()) {
        each.setTooLate();
        wakeAfter(each, 0);
      }
    }
  }

  private void wakeUp(WaitingRequest request, CompletableFuture<Void> alarm) {
    synchronized (this) {
      if (request.isBusy() || request.alarm() != alarm || request.outcome().isDone()) {
        return;
      }
      request.setBusy(true);
    }
    try {
      attempt(request);
    } catch (RuntimeException e) {
      fail(request, e);
    }
  }

  private void fail(WaitingRequest request, @Nullable Throwable failure) {
    leave(request);
    request
        .outcome()
        .completeExceptionally(
            failure == null ? new IllegalStateException("no decision") : failure);
  }

  /** Lets others go on first: callers may do whatever they like when a request is decided. */
  private void finish(
      WaitingRequest request, List<? extends WaitingCharge> charges, List<Decision> decisions) {
    leave(request);
    if (!request.outcome().complete(request.outcomeOf(decisions))
        && isAdmitted(charges, decisions)) {
      for (int i = 0; i < charges.size(); i++) {
        var unused = AllOrNothing.refund(charges.get(i), decisions.get(i)); // withdrawn meanwhile
      }
    }
  }

  private static boolean isAdmitted(
      List<? extends WaitingCharge> charges, List<Decision> decisions) {
    for (int i = 0; i < charges.size(); i++) {
      if (charges.get(i).isBinding() && !decisions.get(i).allowed()) {
        return false;
      }
    }
    return true;
  }

  /** Removes a request that is decided, and wakes those that are first now. */
  private synchronized void leave(WaitingRequest request) {
    request.setAlarm(CompletableFuture.completedFuture(null));
    List<WaitingLine> changed = new ArrayList<>();
    for (WaitingLine line : request.lines()) {
      boolean wasFirst = line.first() == request;
      line.remove(request);
      waiting.computeIfPresent(
          line.name().policy(), (policy, count) -> count == 1 ? null : count - 1);
      if (line.isEmpty()) {
        lines.remove(line.name());
      } else if (wasFirst) {
        changed.add(line);
      }
    }
    request.lines().clear();
    for (WaitingLine line : changed) {
      schedule(line.first());
      wakeThoseTooLate(line);
    }
  }
}
