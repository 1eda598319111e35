package dev.sash.memory;

import dev.sash.Limit;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** The fixed window: one count, which starts again at zero at every multiple of W. */
final class FixedWindowState extends LimitState {
  /** The count of the window that {@link #newest} falls into. */
  private int count;

  FixedWindowState(Limit limit) {
    super(limit);
  }

  @Override
  void saveCharges(DataOutputStream out) throws IOException {
    out.writeInt(count);
  }

  @Override
  void loadCharges(DataInputStream in) throws IOException {
    count = in.readInt();
  }

  @Override
  long used(long now) {
    return left(now) > 0 ? count : 0;
  }

  @Override
  long untilDownTo(long now, long target) {
    return left(now);
  }

  @Override
  void charge(long now, long permits) {
    count = (int) (used(now) + permits);
    newest = now;
  }

  @Override
  void giveBack(long now, long permits) {
    count = (int) Math.max(0, used(now) - permits);
    newest = now;
  }

  /** The time left of the window that {@link #newest} falls into; 0 or less when it is over. */
  private long left(long now) {
    return limit.windowMicros() - newest % limit.windowMicros() - (now - newest);
  }
}
