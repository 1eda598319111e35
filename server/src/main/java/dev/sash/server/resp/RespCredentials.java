package dev.sash.server.resp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.server.access.Right;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What clients have to tell by {@code AUTH}. Immutable. Keeps only the hash of the password, and
 * tells neither in {@link #toString}.
 */
public final class RespCredentials {
  /** The environment variable that has the password. */
  public static final String PASSWORD_VARIABLE = "SASH_RESP_PASSWORD";

  /** The environment variable that has the user's name. */
  public static final String USER_VARIABLE = "SASH_RESP_USER";

  /** Whom clients mean who tell only a password. */
  static final String DEFAULT_USER = "default";

  /** The user by which operators authenticate with the admin token. */
  static final String ADMIN_USER = "sash-admin";

  /** The user by which operators authenticate with the refund token. */
  static final String REFUND_USER = "sash-refund";

  private final byte[] user;
  private final byte[] password;

  private RespCredentials(String user, String password) {
    this.user = hash(user.getBytes(UTF_8));
    this.password = hash(password.getBytes(UTF_8));
  }

  /**
   * A password without a user: {@code AUTH password}.
   *
   * @param password not empty
   * @return the credentials
   */
  public static RespCredentials ofPassword(String password) {
    return of(DEFAULT_USER, password);
  }

  /**
   * A user with a password: {@code AUTH user password}.
   *
   * @param user not empty
   * @param password not empty
   * @return the credentials
   */
  public static RespCredentials of(String user, String password) {
    if (user.isEmpty() || password.isEmpty()) {
      throw new IllegalArgumentException("user and password must not be empty");
    }
    if (rightOf(user) != null) {
      throw new IllegalArgumentException(
          "user must not be " + user + ", which authenticates with a token");
    }
    return new RespCredentials(user, password);
  }

  /**
   * What the environment says in {@value #PASSWORD_VARIABLE} and {@value #USER_VARIABLE}.
   *
   * @param environment such as {@link System#getenv()}
   * @return null if there is no password
   * @throws IllegalArgumentException if there is a user without a password, or one of them is empty
   */
  public static @Nullable RespCredentials of(Map<String, String> environment) {
    String user = environment.get(USER_VARIABLE);
    String password = environment.get(PASSWORD_VARIABLE);
    if (password == null && user != null) {
      throw new IllegalArgumentException(
          USER_VARIABLE + " must not be set without " + PASSWORD_VARIABLE);
    }
    return password == null ? null : of(Objects.requireNonNullElse(user, DEFAULT_USER), password);
  }

  /** Compares both, whatever the first comparison says: the time does not tell which was wrong. */
  boolean match(byte[] toldUser, byte[] toldPassword) {
    boolean userIsRight = MessageDigest.isEqual(user, hash(toldUser));
    boolean passwordIsRight = MessageDigest.isEqual(password, hash(toldPassword));
    return userIsRight && passwordIsRight;
  }

  /** Returns the right for which a user authenticates with a token; null for other users. */
  static @Nullable Right rightOf(String user) {
    return switch (user) {
      case ADMIN_USER -> Right.ADMIN;
      case REFUND_USER -> Right.REFUND;
      default -> null;
    };
  }

  private static byte[] hash(byte[] secret) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(secret);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return "RespCredentials[hidden]";
  }
}
