package dev.sash.store;

import dev.sash.Decision;
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
 * dev.sash.Policy#deadline}, and after a few failures in a row stops asking until a probe succeeds.
 * What is not decided in time is a {@link StoreException}; it may have been charged, never twice. A
 * deadline begins again while this process itself is late.
 *
 * <p>There is one {@link CircuitBreaker} for each server and deadline, since how slow is too slow
 * depends on the deadline.
 */
public final class CircuitBreakers extends StoreDecorator {
  /** The deadline of operations for which no failure rule decides. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private record Part(String server, Duration deadline) {}

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
    Deadline deadline = new Deadline(remote, deadlineNanos(operation, limits));
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
            throw failure(breaker, tooLate(reply, limits));
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
      long nanos = deadlineNanos(operation, limits);
      queue(nanos)
          .add(
              reply,
              new Deadline(remote, nanos),
              () -> reply.completeExceptionally(tooLate(reply, limits)));
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

  private static long deadlineNanos(Operation operation, ResolvedLimits limits) {
    return isGuarded(operation) ? limits.policy().deadline().toNanos() : PATIENCE_NANOS;
  }

  private CompletableFuture<Decision> ask(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    return store.decideAsync(operation, limits, key, permits).toCompletableFuture();
  }

  private DeadlineQueue queue(long nanos) {
    DeadlineQueue queue = queues.get(nanos);
    return queue == null ? queues.computeIfAbsent(nanos, any -> new DeadlineQueue()) : queue;
  }

  private StoreException tooLate(CompletableFuture<Decision> reply, ResolvedLimits limits) {
    Reason reason = remote.giveUp(reply);
    return new StoreException(
        reason,
        reason == Reason.OVERLOADED
            ? "too many requests to send them within " + limits.policy().deadline()
            : "no response within " + limits.policy().deadline(),
        null);
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
    Part part = new Part(remote.serverOf(limits, key), limits.policy().deadline());
    CircuitBreaker breaker = breakers.get(part);
    return breaker == null ? breakers.computeIfAbsent(part, this::create) : breaker;
  }

  private CircuitBreaker create(Part part) {
    CircuitBreaker breaker =
        new CircuitBreaker(
            part.server.isEmpty() ? name : name + " " + part.server,
            part.deadline,
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
