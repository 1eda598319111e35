package dev.sash.server.resp;

import dev.sash.server.access.Right;
import dev.sash.server.access.Secret;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The user name and password of RESP clients. Thread-safe. Keeps only hashes. A password in a file
 * is read again when the file changes; see {@link Secret}.
 */
public final class RespCredentials {
  /** The environment variable with the password. */
  public static final String PASSWORD_VARIABLE = "SASH_RESP_PASSWORD";

  /** The environment variable with the user name. */
  public static final String USER_VARIABLE = "SASH_RESP_USER";

  /** The user of clients that send only a password. */
  static final String DEFAULT_USER = "default";

  /** The user by which operators authenticate with the admin token. */
  static final String ADMIN_USER = "sash-admin";

  /** The user by which operators authenticate with the refund token. */
  static final String REFUND_USER = "sash-refund";

  private final Secret user;
  private final Secret password;

  private RespCredentials(String user, Secret password) {
    if (rightOf(user) != null) {
      throw new IllegalArgumentException(
          USER_VARIABLE + " must not be " + user + ", which authenticates with a token");
    }
    this.user = Secret.of(USER_VARIABLE, user, RespCredentials::checkNotEmpty);
    this.password = password;
  }

  /**
   * Returns a password without a user: {@code AUTH password}.
   *
   * @param password not empty
   * @return the credentials
   */
  public static RespCredentials ofPassword(String password) {
    return of(DEFAULT_USER, password);
  }

  /**
   * Returns a user with a password: {@code AUTH user password}.
   *
   * @param user not empty
   * @param password not empty
   * @return the credentials
   */
  public static RespCredentials of(String user, String password) {
    return new RespCredentials(
        user, Secret.of(PASSWORD_VARIABLE, password, RespCredentials::checkNotEmpty));
  }

  /**
   * Returns the credentials in {@value #PASSWORD_VARIABLE}, or in the file that the same variable
   * with the suffix {@code _FILE} names, and {@value #USER_VARIABLE}.
   *
   * @param environment such as {@link System#getenv()}
   * @return null if there is no password
   * @throws IllegalArgumentException if there is a user without a password, or one of them is empty
   */
  public static @Nullable RespCredentials of(Map<String, String> environment) {
    String user = environment.get(USER_VARIABLE);
    Secret password = Secret.of(environment, PASSWORD_VARIABLE, RespCredentials::checkNotEmpty);
    if (password == null && user != null) {
      throw new IllegalArgumentException(
          USER_VARIABLE + " must not be set without " + PASSWORD_VARIABLE);
    }
    return password == null
        ? null
        : new RespCredentials(Objects.requireNonNullElse(user, DEFAULT_USER), password);
  }

  private static void checkNotEmpty(String name, String secret) {
    if (secret.isEmpty()) {
      throw new IllegalArgumentException(name + " must not be empty; unset it for no password");
    }
  }

  /** Compares both, so that the time does not depend on which was wrong. */
  boolean match(byte[] givenUser, byte[] givenPassword) {
    boolean userMatches = user.matches(givenUser);
    boolean passwordMatches = password.matches(givenPassword);
    return userMatches && passwordMatches;
  }

  /** Returns the right for which a user authenticates with a token; null for other users. */
  static @Nullable Right rightOf(String user) {
    return switch (user) {
      case ADMIN_USER -> Right.ADMIN;
      case REFUND_USER -> Right.REFUND;
      default -> null;
    };
  }

  @Override
  public String toString() {
    return "RespCredentials[hidden]";
  }
}
