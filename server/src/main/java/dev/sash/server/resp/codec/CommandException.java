package dev.sash.server.resp.codec;

/** Thrown when a command is refused; contains the error reply. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String code;

  /**
   * Creates a refusal.
   *
   * @param code the first word of the error, by which clients distinguish errors, such as {@code
   *     ERR}
   * @param message the rest of the error
   */
  public CommandException(String code, String message) {
    super(message, null, false, false); // a reply, not a failure: needs no stack trace
    this.code = code;
  }

  /**
   * Returns a refusal with the code {@code ERR}.
   *
   * @param message the rest of the error
   * @return the refusal
   */
  public static CommandException of(String message) {
    return new CommandException("ERR", message);
  }

  /**
   * Returns the first word of the error.
   *
   * @return the code
   */
  public String code() {
    return code;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
