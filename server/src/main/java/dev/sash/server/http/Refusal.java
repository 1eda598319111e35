package dev.sash.server.http;

/** A request that is not answered as it wishes, and with which status and words. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;

  Refusal(int status, String detail) {
    // Thrown at whatever anybody sends: without a stack trace it costs next to nothing.
    super(detail, null, false, false);
    this.status = status;
  }

  static Refusal bad(String detail) {
    return new Refusal(400, detail);
  }

  int status() {
    return status;
  }

  String detail() {
    return String.valueOf(getMessage());
  }
}
