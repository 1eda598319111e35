package dev.sash.server.resp.codec;

/** Thrown when the input is not RESP; the connection cannot be used any more. */
public final class ProtocolException extends Exception {
  private static final long serialVersionUID = 1;

  ProtocolException(String message) {
    super(message, null, false, false); // garbage from clients needs no stack trace
  }
}
