package dev.sash.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for critical sections of some ten nanoseconds: taken by one compare-and-set, given back by
 * a store in release order. Not reentrant, not fair.
 *
 * <p>A thread that finds it taken stays away for a while that is long compared with the section.
 * Two threads that fight for a key at every turn spend their time moving its cache lines from core
 * to core; if one stays away for some microseconds, the other gets a hundred decisions done
 * meanwhile. After a few such turns the holder must have lost its core to somebody: then it naps.
 */
abstract class SpinLock {
  private static final int PAUSES_PER_TURN = 512;
  private static final int TURNS = 8;
  private static final long NAP_NANOS = 50_000;
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

  /** Takes the lock if nobody holds it. */
  final boolean tryLock() {
    return HELD.compareAndSet(this, 0, 1);
  }

  final void unlock() {
    HELD.setRelease(this, 0);
  }

  private void lockPatiently() {
    int turns = 0;
    do {
      if (turns++ < TURNS) {
        for (int i = 0; i < PAUSES_PER_TURN; i++) {
          Thread.onSpinWait();
        }
      } else {
        LockSupport.parkNanos(this, NAP_NANOS);
      }
    } while (held != 0 || !HELD.compareAndSet(this, 0, 1));
  }
}
