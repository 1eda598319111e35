package dev.sash.store;

import dev.sash.Decision;

/** A {@linkplain Store#handle store's handle} for one key of one policy. Thread-safe. */
@FunctionalInterface
public interface KeyHandle {
  /**
   * Performs an operation on the key, as {@link Store#decide}.
   *
   * @param operation what to do
   * @param limits the limits to decide by
   * @param permits 0 to 10⁹
   * @return the decision
   */
  Decision decide(Operation operation, ResolvedLimits limits, long permits);
}
