package dev.sash.grpc;

import io.grpc.ServerCall;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Buffers the events of a call that is not decided yet. They are delivered in order and by one
 * thread at a time, as gRPC guarantees: first {@link #start} delivers the buffered events, then
 * gRPC's threads deliver directly.
 *
 * @param <T> the type of the requests
 */
final class DelayedListener<T> extends ServerCall.Listener<T> {
  /**
   * An event of the call.
   *
   * @param isLast whether no other event follows
   */
  private record Event<T>(Consumer<ServerCall.Listener<T>> delivery, boolean isLast) {}

  private final Queue<Event<T>> buffered = new ArrayDeque<>();
  private boolean started;
  private boolean cancelled;

  /** Null until all buffered events are delivered. */
  private volatile ServerCall.@Nullable Listener<T> listener;

  /**
   * Creates the listener and delivers the buffered events to it, on this thread.
   *
   * @param handler creates the listener
   * @param onFailure receives what the handler or the listener throws; of the other buffered events
   *     only the last is then delivered
   * @return false if the call was cancelled before; no listener is created then
   */
  boolean start(Supplier<ServerCall.Listener<T>> handler, Consumer<Throwable> onFailure) {
    synchronized (this) {
      if (cancelled) {
        return false;
      }
      started = true;
    }
    ServerCall.Listener<T> created = new ServerCall.Listener<>() {};
    boolean failed = false;
    try {
      created = handler.get();
    } catch (Throwable e) {
      failed = true;
      onFailure.accept(e);
    }
    for (Event<T> event = next(created); event != null; event = next(created)) {
      try {
        if (!failed || event.isLast) {
          event.delivery.accept(created);
        }
      } catch (Throwable e) {
        failed = true;
        onFailure.accept(e);
      }
    }
    return true;
  }

  private synchronized @Nullable Event<T> next(ServerCall.Listener<T> created) {
    Event<T> event = buffered.poll();
    if (event == null) {
      listener = created;
    }
    return event;
  }

  private void deliver(Event<T> event) {
    ServerCall.Listener<T> direct = listener;
    if (direct == null) {
      synchronized (this) {
        direct = listener;
        if (direct == null) {
          buffered.add(event);
          return;
        }
      }
    }
    event.delivery.accept(direct);
  }

  @Override
  public void onMessage(T message) {
    deliver(new Event<>(to -> to.onMessage(message), false));
  }

  @Override
  public void onHalfClose() {
    deliver(new Event<>(ServerCall.Listener::onHalfClose, false));
  }

  @Override
  public void onReady() {
    deliver(new Event<>(ServerCall.Listener::onReady, false));
  }

  @Override
  public void onComplete() {
    deliver(new Event<>(ServerCall.Listener::onComplete, true));
  }

  @Override
  public void onCancel() {
    synchronized (this) {
      cancelled = !started;
    }
    deliver(new Event<>(ServerCall.Listener::onCancel, true));
  }
}
