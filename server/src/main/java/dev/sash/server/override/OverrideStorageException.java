package dev.sash.server.override;

import org.jspecify.annotations.Nullable;

/** Thrown when overrides cannot be stored; then they do not change. */
public final class OverrideStorageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates an exception.
   *
   * @param message what could not be done and why, without keys
   * @param cause the original failure, if any
   */
  public OverrideStorageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
