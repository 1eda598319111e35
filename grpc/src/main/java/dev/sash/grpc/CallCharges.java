package dev.sash.grpc;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import io.grpc.Context;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What an interceptor has charged for a call that it admits. It is in the {@link Context} in which
 * the call goes on: if a later interceptor denies the call, everything is refunded.
 */
final class CallCharges {
  private static final Context.Key<CallCharges> KEY = Context.key("sash-charges");

  private final List<CallCharge> charges;
  private final List<Decision> decisions;
  private final @Nullable CallCharges earlier;
  private final AtomicBoolean refunded = new AtomicBoolean();

  CallCharges(List<CallCharge> charges, List<Decision> decisions, @Nullable CallCharges earlier) {
    this.charges = charges;
    this.decisions = decisions;
    this.earlier = earlier;
  }

  /** Returns what earlier interceptors have charged; null if nothing. */
  static @Nullable CallCharges ofThisCall() {
    return KEY.get();
  }

  /** Returns the current context with these charges. */
  Context context() {
    return Context.current().withValue(KEY, this);
  }

  /** Refunds what was charged, also by earlier interceptors. Does not block. */
  void refund() {
    if (refunded.compareAndSet(false, true)) {
      for (int i = 0; i < charges.size(); i++) {
        var unused = AllOrNothing.refund(charges.get(i), decisions.get(i));
      }
      if (earlier != null) {
        earlier.refund();
      }
    }
  }
}
