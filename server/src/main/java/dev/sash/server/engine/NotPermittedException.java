package dev.sash.server.engine;

/** Thrown for a request that the configuration does not permit. */
public final class NotPermittedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Thrown with a message.
   *
   * @param message says what is not permitted
   */
  public NotPermittedException(String message) {
    super(message);
  }
}
