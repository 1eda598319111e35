package dev.sash.grpc;

import io.grpc.ServerCall;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the listener of a call that is not decided yet, and keeps for it what happens
 * meanwhile. One thread delivers at a time and in order, as gRPC promises: first {@link #start}
 * what was kept, then, when nothing is left, gRPC's threads directly.
 *
 * @param <T> the call's requests
 */
final class DelayedListener<T> extends ServerCall.Listener<T> {
  /**
   * Something that happened.
   *
   * @param isLast whether nothing follows it
   */
  private record Event<T>(Consumer<ServerCall.Listener<T>> delivery, boolean isLast) {}

  private final Queue<Event<T>> kept = new ArrayDeque<>();
  private boolean started;
  private boolean cancelled;

  /** Null until nothing is kept for it any more. */
  private volatile ServerCall.@Nullable Listener<T> listener;

  /**
   * Makes the listener, and delivers what was kept for it, on this thread.
   *
   * @param handler makes it
   * @param onFailure told of what the handler or the listener throws; it then hears no more of what
   *     was kept, except of the call's end
   * @return false if the call was cancelled before: then there is no listener and never will be
   */
  boolean start(Supplier<ServerCall.Listener<T>> handler, Consumer<Throwable> onFailure) {
    synchronized (this) {
      if (cancelled) {
        return false;
      }
      started = true;
    }
    ServerCall.Listener<T> made = new ServerCall.Listener<>() {};
    boolean failed = false;
    try {
      made = handler.get();
    } catch (Throwable e) {
      failed = true;
      onFailure.accept(e);
    }
    for (Event<T> event = next(made); event != null; event = next(made)) {
      try {
        if (!failed || event.isLast) {
          event.delivery.accept(made);
        }
      } catch (Throwable e) {
        failed = true;
        onFailure.accept(e);
      }
    }
    return true;
  }

  private synchronized @Nullable Event<T> next(ServerCall.Listener<T> made) {
    Event<T> event = kept.poll();
    if (event == null) {
      listener = made;
    }
    return event;
  }

  private void deliver(Event<T> event) {
    ServerCall.Listener<T> direct = listener;
    if (direct == null) {
      synchronized (this) {
        direct = listener;
        if (direct == null) {
          kept.add(event);
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
