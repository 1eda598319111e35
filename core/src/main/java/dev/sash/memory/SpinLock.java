package dev.sash.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for critical sections of some ten nanoseconds: taken by one compare-and-set, released by a
 * plain store in release order. A thread that finds it held spins for about as long as such a
 * section takes, then gives up its turn, then naps: the holder was interrupted by the scheduler and
 * needs the core. Not reentrant, not fair.
 */
abstract class SpinLock {
  private static final int SPINS = 64;
  private static final int YIELDS = 64;
  private static final long NAP_NANOS = 20_000;
  private static final VarHandle HELD;

  static {
    try {
      HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through HELD
  private volatile int held;

  final void lock() {
    if (!HELD.compareAndSet(this, 0, 1)) {
      lockPatiently();
    }
  }

  final void unlock() {
    HELD.setRelease(this, 0);
  }

  @SuppressWarnings("ThreadPriorityCheck") // a hint, not relied upon: naps follow
  private void lockPatiently() {
    int tries = 0;
    do {
      if (tries < SPINS) {
        Thread.onSpinWait();
      } else if (tries < SPINS + YIELDS) {
        Thread.yield();
      } else {
        LockSupport.parkNanos(this, NAP_NANOS);
      }
      tries++;
    } while (held != 0 || !HELD.compareAndSet(this, 0, 1));
  }
}
