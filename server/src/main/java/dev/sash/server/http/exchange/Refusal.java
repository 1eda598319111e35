package dev.sash.server.http.exchange;

/** Thrown to refuse a request with a status and a message. */
public final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;

  /** Creates a refusal. */
  public Refusal(int status, String detail) {
    // Thrown at whatever anybody sends: without a stack trace it costs next to nothing.
    super(detail, null, false, false);
    this.status = status;
  }

  /** Returns the refusal of a bad request: status 400. */
  public static Refusal bad(String detail) {
    return new Refusal(400, detail);
  }

  /** Returns the status of the response. */
  public int status() {
    return status;
  }

  /** Returns what is wrong. */
  public String detail() {
    return String.valueOf(getMessage());
  }
}
