package dev.sash.memory;

import dev.sash.Limit;
import dev.sash.internal.MulDiv;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The token bucket, kept as the debt that is still to be refilled: a request fits iff debt and
 * request together are within the capacity. The debt shrinks by L permits per window W, evenly, so
 * by L/W of a permit each microsecond: counted in W-ths of a permit, everything is a whole number.
 *
 * <p>L is applied from {@link #newest} to now: one time stamp is all the history there is. When L
 * changes, the debt is first brought forward to that moment, so that what was refilled stays
 * refilled and what was not yet is not.
 */
final class TokenBucketState extends LimitState {
  /** The debt at {@link #newest}: whole permits, and W-ths of one. */
  private int debt;

  private long debtParts;

  TokenBucketState(Limit limit) {
    super(limit);
  }

  @Override
  void saveCharges(DataOutputStream out) throws IOException {
    out.writeInt(debt);
    out.writeLong(debtParts);
  }

  @Override
  void loadCharges(DataInputStream in) throws IOException {
    debt = in.readInt();
    debtParts = in.readLong();
  }

  @Override
  long used(long now) {
    long parts = debtParts - refilledParts(now);
    long whole = debt - refilled(now);
    // parts / W lies between -1 and 1, so this is whole + parts / W, rounded up.
    return Math.max(0, parts > 0 ? whole + 1 : whole);
  }

  @Override
  long untilDownTo(long now, long target) {
    // The debt must shrink by (debt - target) W + parts, at L a microsecond.
    long window = limit.windowMicros();
    long whole = MulDiv.floor(debt - target, window, limit.permits());
    if (whole == MulDiv.TOO_LARGE) {
      return whole;
    }
    long rest = MulDiv.floorRemainder(debt - target, window, limit.permits(), whole) + debtParts;
    return whole + ceilDiv(rest, limit.permits()) - (now - newest);
  }

  @Override
  void beforeChange(Limit changed, long now) {
    if (changed.permits() != limit.permits() && (debt > 0 || debtParts > 0)) {
      settle(now);
    }
  }

  @Override
  void charge(long now, long permits) {
    settle(now);
    debt += (int) permits;
  }

  @Override
  void giveBack(long now, long permits) {
    settle(now);
    debt -= (int) permits;
    if (debt < 0) {
      debt = 0;
      debtParts = 0;
    }
  }

  /** Brings the debt forward to now. */
  private void settle(long now) {
    long window = limit.windowMicros();
    long whole = debt - refilled(now);
    long parts = debtParts - refilledParts(now);
    if (parts < 0) {
      parts += window;
      whole--;
    }
    debt = (int) Math.max(0, whole);
    debtParts = whole < 0 ? 0 : parts;
    newest = now;
  }

  private long refilled(long now) {
    return MulDiv.floor(limit.permits(), now - newest, limit.windowMicros());
  }

  private long refilledParts(long now) {
    return MulDiv.floorRemainder(
        limit.permits(), now - newest, limit.windowMicros(), refilled(now));
  }

  private static long ceilDiv(long a, long b) {
    return -Math.floorDiv(-a, b);
  }
}
