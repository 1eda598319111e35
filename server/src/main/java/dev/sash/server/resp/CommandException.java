package dev.sash.server.resp;

/** A command that is refused, in the words of its reply. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String code;

  /**
   * A refusal.
   *
   * @param code the word by which clients tell errors apart, such as {@code ERR}
   * @param message what is wrong
   */
  CommandException(String code, String message) {
    super(message, null, false, false); // an answer, and no failure of ours
    this.code = code;
  }

  /** A refusal of the ordinary kind. */
  static CommandException of(String message) {
    return new CommandException("ERR", message);
  }

  String code() {
    return code;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
