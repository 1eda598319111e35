package dev.sash.http.internal;

import dev.sash.AllOrNothing;
import dev.sash.ResolvedKey;

/** A charge of a request that may wait for permits. */
public interface WaitingCharge extends AllOrNothing.Part {
  /**
   * Returns the key to charge.
   *
   * @return the key, with its limits
   */
  ResolvedKey target();

  /**
   * Returns the longest time for the request to wait.
   *
   * @return in microseconds; 0 if it is denied at once
   */
  long maxWaitMicros();

  /**
   * Returns the number of requests that may wait for permits of the policy at the same time.
   *
   * @return 0 if none may
   */
  int maxWaiting();

  /**
   * Returns whether the request may wait for permits of this policy.
   *
   * @return false also if the policy never denies it
   */
  default boolean mayWait() {
    return isBinding() && maxWaitMicros() > 0 && permits() > 0;
  }
}
