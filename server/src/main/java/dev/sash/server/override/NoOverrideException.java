package dev.sash.server.override;

/** Thrown for the removal of an override that does not exist. */
public final class NoOverrideException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates an exception.
   *
   * @param target the keys
   */
  public NoOverrideException(Target target) {
    super(
        "policy '"
            + target.policy()
            + "' has no override of exactly this "
            + (target.isPrefix() ? "prefix" : "key"));
  }
}
