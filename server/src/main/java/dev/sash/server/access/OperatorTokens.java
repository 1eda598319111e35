package dev.sash.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of operators: one for administration, and one that only permits refunds. Thread-safe.
 *
 * <p>A token has at least 16 visible ASCII characters. Placeholders such as {@code change-me},
 * repetitions and sequences are refused. Tokens in files are read again when the files change; see
 * {@link Secret}.
 */
public final class OperatorTokens {
  /** The environment variable with the token for {@link Right#ADMIN}. */
  public static final String ADMIN_VARIABLE = "SASH_ADMIN_TOKEN";

  /** The environment variable with the token for {@link Right#REFUND}. */
  public static final String REFUND_VARIABLE = "SASH_REFUND_TOKEN";

  private static final OperatorTokens NONE = new OperatorTokens(null, null);

  private final @Nullable Secret admin;
  private final @Nullable Secret refund;

  private OperatorTokens(@Nullable Secret admin, @Nullable Secret refund) {
    if (admin != null && refund != null && admin.sameAs(refund)) {
      throw new IllegalArgumentException(REFUND_VARIABLE + " must differ from " + ADMIN_VARIABLE);
    }
    this.admin = admin;
    this.refund = refund;
  }

  /**
   * Returns no tokens.
   *
   * @return tokens that grant nothing
   */
  public static OperatorTokens none() {
    return NONE;
  }

  /**
   * Returns fixed tokens.
   *
   * @param admin the token for {@link Right#ADMIN}; null for none
   * @param refund the token for {@link Right#REFUND}; null for none
   * @return the tokens
   * @throws IllegalArgumentException if a token is not acceptable; the message does not contain it
   */
  public static OperatorTokens of(@Nullable String admin, @Nullable String refund) {
    return new OperatorTokens(
        admin == null ? null : Secret.of(ADMIN_VARIABLE, admin, TokenRule::check),
        refund == null ? null : Secret.of(REFUND_VARIABLE, refund, TokenRule::check));
  }

  /**
   * Returns the tokens in {@value #ADMIN_VARIABLE} and {@value #REFUND_VARIABLE}, or in the files
   * that the same variables with the suffix {@code _FILE} name.
   *
   * @param environment such as {@link System#getenv()}
   * @return the tokens
   * @throws IllegalArgumentException if a token is not acceptable; the message does not contain it
   */
  public static OperatorTokens of(Map<String, String> environment) {
    return new OperatorTokens(
        Secret.of(environment, ADMIN_VARIABLE, TokenRule::check),
        Secret.of(environment, REFUND_VARIABLE, TokenRule::check));
  }

  /**
   * Returns the admin token itself, for clients: that in {@value #ADMIN_VARIABLE}, or in the file
   * that the same variable with the suffix {@code _FILE} names.
   *
   * @param environment such as {@link System#getenv()}
   * @return null if neither variable is set
   * @throws IllegalArgumentException if the token is not acceptable; the message does not contain
   *     it
   */
  public static @Nullable String adminTokenOf(Map<String, String> environment) {
    return Secret.read(environment, ADMIN_VARIABLE, TokenRule::check);
  }

  /**
   * Returns whether a token is configured that grants a right. Where none is, callers on the
   * server's own machine have the right.
   *
   * @param right the right
   * @return true for {@link Right#REFUND} also if only the admin token is configured
   */
  public boolean isSet(Right right) {
    return admin != null || (right == Right.REFUND && refund != null);
  }

  /**
   * Returns whether a token grants a right. The time that this takes does not depend on the tokens.
   *
   * @param token what a client sent; null if it sent none
   * @param right the right
   * @return true only if all of the token matches
   */
  public boolean grants(@Nullable String token, Right right) {
    byte[] given = token == null ? new byte[0] : token.getBytes(UTF_8);
    boolean isAdmin = admin != null && admin.matches(given);
    boolean isRefund = refund != null && refund.matches(given);
    return isAdmin || (isRefund && right == Right.REFUND);
  }

  /** Returns which tokens are configured, never the tokens. */
  @Override
  public String toString() {
    return "OperatorTokens[admin=" + (admin != null) + ", refund=" + (refund != null) + "]";
  }
}
