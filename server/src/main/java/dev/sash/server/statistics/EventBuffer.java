package dev.sash.server.statistics;

import dev.sash.Decision;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decisions of a few threads that are not in the statistics yet. Thread-safe, except that only one
 * thread at a time may {@link #empty} it.
 */
final class EventBuffer {
  /** From this size on it should be emptied. */
  static final int ENOUGH = 256;

  /** More are lost. */
  static final int MOST = 4_096;

  private @Nullable Event[] filling = new Event[ENOUGH];
  private @Nullable Event[] spare = new Event[ENOUGH];
  private int size;
  private long lost;

  /** Adds a decision; returns whether the buffer should be emptied. */
  synchronized boolean add(
      String policy,
      boolean shadow,
      boolean counted,
      @Nullable String label,
      long hash,
      long permits,
      long timeMillis,
      Decision decision) {
    if (size == MOST) {
      lost++;
      return true;
    }
    if (size == filling.length) {
      filling = Arrays.copyOf(filling, size * 2);
    }
    Event event = filling[size];
    if (event == null) {
      event = new Event();
      filling[size] = event;
    }
    size++;
    event.policy = policy;
    event.shadow = shadow;
    event.isCounted = counted;
    event.label = label;
    event.hash = hash;
    event.permits = permits;
    event.timeMillis = timeMillis;
    event.decided(decision);
    return size >= ENOUGH;
  }

  /** Passes on all decisions, in order; others can be added meanwhile. */
  void empty(Consumer<Event> consumer) {
    @Nullable Event[] full;
    int count;
    synchronized (this) {
      full = filling;
      count = size;
      filling = spare;
      spare = full;
      size = 0;
    }
    for (int i = 0; i < count; i++) {
      Event event = full[i];
      if (event != null) {
        consumer.accept(event);
        event.label = null;
        event.decided(null);
      }
    }
  }

  /** Returns the number of decisions for which there was no room. */
  synchronized long lost() {
    return lost;
  }
}
