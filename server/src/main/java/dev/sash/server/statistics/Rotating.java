package dev.sash.server.statistics;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Something that forgets: one for each slice of time, of which only the last few are kept. All of
 * them together cover the time that they are kept, less up to one slice. Not thread-safe.
 */
final class Rotating<T> {
  private final long sliceMillis;
  private final int kept;
  private final Supplier<T> create;
  private final Deque<Slice<T>> slices = new ArrayDeque<>();

  private @Nullable Slice<T> newest;
  private long newestMillis;

  private record Slice<T>(long index, T value) {}

  Rotating(long sliceMillis, int kept, Supplier<T> create) {
    this.sliceMillis = sliceMillis;
    this.kept = kept;
    this.create = create;
  }

  /** Returns the one of a time; for a time before all of them the oldest. */
  T at(long timeMillis) {
    Slice<T> last = newest;
    if (last != null && timeMillis >= newestMillis && timeMillis - newestMillis < sliceMillis) {
      return last.value;
    }
    long index = Math.floorDiv(timeMillis, sliceMillis);
    if (last == null || index > last.index) {
      forget(index);
      Slice<T> created = new Slice<>(index, create.get());
      slices.addLast(created);
      newest = created;
      newestMillis = index * sliceMillis;
      return created.value;
    }
    T found = last.value;
    Iterator<Slice<T>> backwards = slices.descendingIterator();
    while (backwards.hasNext()) {
      Slice<T> slice = backwards.next();
      if (slice.index < index) {
        break;
      }
      found = slice.value;
    }
    return found;
  }

  /** Returns those that are kept, the oldest first. */
  List<T> all(long nowMillis) {
    forget(Math.floorDiv(nowMillis, sliceMillis));
    return slices.stream().map(Slice::value).toList();
  }

  private void forget(long index) {
    Slice<T> oldest = slices.peekFirst();
    while (oldest != null && oldest.index <= index - kept) {
      slices.removeFirst();
      oldest = slices.peekFirst();
    }
    newest = slices.peekLast();
  }
}
