package dev.sash.memory;

import dev.sash.Limit;
import dev.sash.internal.MulDiv;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The sliding counter: windows aligned to multiples of W, a count for this one and one for the one
 * before, which is weighed by the part of it that the true window still covers.
 *
 * <pre>
 *        previous: P          current: C
 *   |--------------------|------e-------------|
 *               |<---- true window ---->|
 *                                       now
 *   used = ⌊P (W - e) / W⌋ + C
 * </pre>
 *
 * <p>The estimate supposes that the previous window's permits were spent evenly. If they were all
 * spent at its end, up to 2 L fit into one true window.
 */
final class SlidingCounterState extends LimitState {
  /** The counts of the window that {@link #newest} falls into, and of the one before it. */
  private int previous;

  private int current;

  SlidingCounterState(Limit limit) {
    super(limit);
  }

  @Override
  void saveCharges(DataOutputStream out) throws IOException {
    out.writeInt(previous);
    out.writeInt(current);
  }

  @Override
  void loadCharges(DataInputStream in) throws IOException {
    previous = in.readInt();
    current = in.readInt();
  }

  @Override
  long used(long now) {
    long window = limit.windowMicros();
    long elapsed = elapsed(now);
    if (elapsed < window) {
      return weighed(previous, elapsed) + current;
    }
    return elapsed < 2 * window ? weighed(current, elapsed - window) : 0;
  }

  @Override
  long untilDownTo(long now, long target) {
    long window = limit.windowMicros();
    long elapsed = elapsed(now);
    // The estimate only falls, so the first of the three windows in which it is low enough decides.
    long at = current <= target ? firstElapsed(previous, target - current) : window;
    if (at >= window) {
      at = window + firstElapsed(current, target);
    }
    return at - elapsed;
  }

  @Override
  void charge(long now, long permits) {
    rotate(now);
    current += (int) permits;
    newest = now;
  }

  @Override
  void giveBack(long now, long permits) {
    rotate(now);
    newest = now;
    long fromPrevious = Math.max(0, permits - current);
    current = (int) Math.max(0, current - permits);
    previous = (int) Math.max(0, previous - fromPrevious);
  }

  private void rotate(long now) {
    long window = limit.windowMicros();
    long elapsed = elapsed(now);
    if (elapsed >= window) {
      previous = elapsed < 2 * window ? current : 0;
      current = 0;
    }
  }

  /** The time since the beginning of the window that {@link #newest} falls into. */
  private long elapsed(long now) {
    return now - newest + newest % limit.windowMicros();
  }

  private long weighed(int count, long elapsed) {
    long window = limit.windowMicros();
    return count == 0 ? 0 : MulDiv.floor(count, window - elapsed, window);
  }

  /**
   * The least e ≥ 0 with ⌊count (W - e) / W⌋ ≤ target, W if there is none before: from count (W -
   * e) &lt; (target + 1) W follows W - e ≤ ⌈(target + 1) W / count⌉ - 1.
   */
  private long firstElapsed(int count, long target) {
    if (count <= target) {
      return 0;
    }
    long window = limit.windowMicros();
    return window - MulDiv.ceil(target + 1, window, count) + 1;
  }
}
