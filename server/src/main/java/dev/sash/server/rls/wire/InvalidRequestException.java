package dev.sash.server.rls.wire;

/** A request that cannot be answered; the message says why. */
public final class InvalidRequestException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /** Creates an exception with a message for the client. */
  public InvalidRequestException(String message) {
    super(message);
  }

  /** Anybody may cause it as often as they like. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
