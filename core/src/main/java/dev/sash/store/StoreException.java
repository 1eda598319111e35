package dev.sash.store;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store cannot decide. Has no stack trace unless it has a cause: while a store is
 * unavailable, it is created for every request.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Why the store cannot decide. */
  public enum Reason {
    /** The store is unreachable, too slow or refuses to work: other keys are affected too. */
    UNAVAILABLE,
    /** What is stored under this key is not Sash's: only this key is affected. */
    FOREIGN_STATE,
    /** This process has too many requests in flight, or is late: the store has not failed. */
    OVERLOADED
  }

  private final Reason reason;

  /**
   * Creates an exception.
   *
   * @param reason why
   * @param message what could not be done and why; without keys or secrets
   * @param cause the original failure, if any
   */
  public StoreException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause, true, cause != null);
    this.reason = reason;
  }

  /**
   * Returns why the store cannot decide.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }
}
