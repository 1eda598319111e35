package dev.sash.store;

import dev.sash.Decision;
import dev.sash.Policy;
import dev.sash.store.StoreException.Reason;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps callers from waiting for a remote store that does not answer: enforces the policy's {@link
 * Policy#deadline}, and after a few failures in a row stops asking until a probe succeeds. What is
 * not decided in time is a {@link StoreException}; it may have been charged, never twice. A
 * deadline begins again while this process itself is late, within the policy's {@link
 * Policy#grace}; without grace, what is late because of this process is no failure of the store.
 *
 * <p>There is one {@link CircuitBreaker} for each server and deadline, since how slow is too slow
 * depends on the deadline.
 */
public final class CircuitBreakers extends StoreDecorator {
  /** The deadline of operations for which no failure rule decides. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * Callers' deadlines with the same highest bits share a breaker, or there would be no end of
   * them.
   */
  private static final int SHARED_BITS = 4;

  private record Part(String server, long deadlineNanos) {}

  private final RemoteStore remote;
  private final String name;
  private final Map<Part, CircuitBreaker> breakers = new ConcurrentHashMap<>();
  private final Map<Long, DeadlineQueue> queues = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * Creates a decorator.
   *
   * @param store the store to protect
   * @param name what logs call the store, such as {@code Redis}
   */
  public CircuitBreakers(RemoteStore store, String name) {
    super(store);
    this.remote = store;
    this.name = name;
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    CircuitBreaker breaker = breaker(limits, key);
    if (breaker.isOpen() && isGuarded(operation)) {
      throw breaker.refusal();
    }
    CompletableFuture<Decision> reply = ask(operation, limits, key, permits);
    Deadline deadline = deadline(operation, limits);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          Decision decision = reply.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
          breaker.onSuccess();
          return decision;
        } catch (InterruptedException e) {
          interrupted = true; // reported afterwards: a decision does not take long
        } catch (ExecutionException e) {
          throw failure(breaker, e);
        } catch (TimeoutException e) {
          if (!deadline.extend()) {
            throw failure(breaker, tooLate(reply, limits, deadline));
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    CircuitBreaker breaker = breaker(limits, key);
    if (breaker.isOpen() && isGuarded(operation)) {
      return CompletableFuture.failedFuture(breaker.refusal());
    }
    CompletableFuture<Decision> reply = ask(operation, limits, key, permits);
    if (!reply.isDone()) {
      Deadline deadline = deadline(operation, limits);
      queue(isGuarded(operation) ? sharedDeadlineNanos(limits.policy()) : PATIENCE_NANOS)
          .add(
              reply, deadline, () -> reply.completeExceptionally(tooLate(reply, limits, deadline)));
    }
    return reply.handle(
        (decision, thrown) -> {
          if (decision == null) {
            throw failure(breaker, thrown);
          }
          breaker.onSuccess();
          return decision;
        });
  }

  /** An operation for which no failure rule decides is tried in any case, and given time. */
  private static boolean isGuarded(Operation operation) {
    return operation != Operation.RESET && operation != Operation.INSPECT;
  }

  private Deadline deadline(Operation operation, ResolvedLimits limits) {
    Policy policy = limits.policy();
    long nanos = isGuarded(operation) ? policy.deadline().toNanos() : PATIENCE_NANOS;
    return new Deadline(remote, nanos, policy.grace().toNanos());
  }

  /** A policy's deadline has a breaker and a queue of its own; callers' deadlines share theirs. */
  private static long sharedDeadlineNanos(Policy policy) {
    long nanos = policy.deadline().toNanos();
    return policy.grace().isZero() ? sharedDeadlineNanos(nanos) : nanos;
  }

  /** Returns the longest of the deadlines that share a breaker, which differ by less than 1/8. */
  static long sharedDeadlineNanos(long nanos) {
    long lowBits = (Long.highestOneBit(nanos) >>> (SHARED_BITS - 1)) - 1;
    return lowBits <= 0 ? nanos : (nanos + lowBits) & ~lowBits;
  }

  private CompletableFuture<Decision> ask(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    return store.decideAsync(operation, limits, key, permits).toCompletableFuture();
  }

  private DeadlineQueue queue(long nanos) {
    DeadlineQueue queue = queues.get(nanos);
    return queue == null ? queues.computeIfAbsent(nanos, any -> new DeadlineQueue()) : queue;
  }

  private StoreException tooLate(
      CompletableFuture<Decision> reply, ResolvedLimits limits, Deadline deadline) {
    Reason reason = remote.giveUp(reply);
    String within = " within " + limits.policy().deadline();
    if (reason == Reason.OVERLOADED) {
      return new StoreException(reason, "too many requests to send them" + within, null);
    }
    return deadline.isFirmAndWasLate()
        ? new StoreException(
            Reason.OVERLOADED, "no response" + within + ", while this process was late", null)
        : new StoreException(reason, "no response" + within, null);
  }

  private static StoreException failure(CircuitBreaker breaker, @Nullable Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    StoreException failure =
        cause instanceof StoreException known
            ? known
            : new StoreException(Reason.UNAVAILABLE, String.valueOf(cause), cause);
    switch (failure.reason()) {
      case UNAVAILABLE -> breaker.onFailure(failure);
      case FOREIGN_STATE -> breaker.onSuccess(); // the server works, and decides about other keys
      case OVERLOADED -> {} // says nothing about the server
    }
    return failure;
  }

  private CircuitBreaker breaker(ResolvedLimits limits, String key) {
    Part part = new Part(remote.serverOf(limits, key), sharedDeadlineNanos(limits.policy()));
    CircuitBreaker breaker = breakers.get(part);
    return breaker == null ? breakers.computeIfAbsent(part, this::create) : breaker;
  }

  private CircuitBreaker create(Part part) {
    CircuitBreaker breaker =
        new CircuitBreaker(
            part.server.isEmpty() ? name : name + " " + part.server,
            Duration.ofNanos(part.deadlineNanos),
            () -> remote.probe(part.server),
            () -> remote.reconnect(part.server));
    if (closed) {
      breaker.close();
    }
    return breaker;
  }

  @Override
  public boolean isUp() {
    return store.isUp() && breakers.values().stream().noneMatch(CircuitBreaker::isOpen);
  }

  @Override
  public void close() {
    closed = true;
    breakers.values().forEach(CircuitBreaker::close);
    store.close();
  }
}
