package dev.sash.server.rls;

/** A request that cannot be answered; the message says why. */
final class InvalidRequestException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  InvalidRequestException(String message) {
    super(message);
  }

  /** Anybody may cause it as often as they like. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
