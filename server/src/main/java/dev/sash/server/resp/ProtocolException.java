package dev.sash.server.resp;

/** What came is not RESP, or too large: where the next request begins is not known any more. */
final class ProtocolException extends Exception {
  private static final long serialVersionUID = 1;

  ProtocolException(String message) {
    super(message, null, false, false); // whoever sends garbage does not get to fill stack traces
  }
}
