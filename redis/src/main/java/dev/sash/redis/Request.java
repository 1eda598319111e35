package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.store.Operation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * A request and the future of its decision. It waits until a {@link Batch} takes it along, or until
 * it is withdrawn: one of the two.
 */
final class Request extends CompletableFuture<Decision> {
  private static final AtomicIntegerFieldUpdater<Request> STATE =
      AtomicIntegerFieldUpdater.newUpdater(Request.class, "state");
  private static final int WAITING = 0;
  private static final int SENT = 1;
  private static final int WITHDRAWN = 2;

  /** As the script numbers the operations, in names.lua. */
  static final int ACQUIRE = 1;

  static final int INSPECT = 4;

  final String policy;
  final String key;
  final LimitSet limits;
  final int operation;
  final long permits;
  final long createdNanos = System.nanoTime();

  @SuppressWarnings("UnusedVariable") // read by STATE
  private volatile int state;

  Request(Operation operation, String policy, String key, LimitSet limits, long permits) {
    this.policy = policy;
    this.key = key;
    this.limits = limits;
    this.operation = number(operation);
    boolean peeks = operation == Operation.PEEK || operation == Operation.REFUND_LOCAL;
    this.permits = peeks ? 0 : permits;
  }

  private static int number(Operation operation) {
    return switch (operation) {
      case ACQUIRE, PEEK, REFUND_LOCAL -> ACQUIRE;
      case REFUND -> 2;
      case CHARGE -> 3;
      case INSPECT -> INSPECT;
      case RESET -> 5;
    };
  }

  /** Returns whether a request decides alike: a denial of this one is one of the other as well. */
  boolean isEqualTo(Request other) {
    return operation == ACQUIRE && other.operation == ACQUIRE && permits == other.permits;
  }

  /** Takes the request along, unless it was withdrawn. */
  boolean send() {
    return STATE.compareAndSet(this, WAITING, SENT);
  }

  /** Withdraws the request, unless it was sent: it will not be charged. */
  boolean withdraw() {
    return STATE.compareAndSet(this, WAITING, WITHDRAWN);
  }
}
