package dev.sash.server.engine;

/** Nobody has configured a policy of that name. */
public final class UnknownPolicyException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /**
   * Thrown for a name.
   *
   * @param policy the name
   */
  public UnknownPolicyException(String policy) {
    super("there is no policy '" + printable(policy) + "'");
  }

  /** Names that could be policies as they are, and of others only that they could not. */
  private static String printable(String policy) {
    return policy.matches("[A-Za-z0-9._-]{1,64}") ? policy : "(not a policy's name)";
  }
}
