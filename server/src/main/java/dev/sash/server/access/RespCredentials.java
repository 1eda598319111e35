package dev.sash.server.access;

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
  public static final String DEFAULT_USER = "default";

  /** Users with this prefix are those of operators. */
  private static final String RESERVED_PREFIX = "sash-";

  private final Secret user;
  private final Secret password;

  private RespCredentials(String user, Secret password) {
    if (user.startsWith(RESERVED_PREFIX)) {
      throw new IllegalArgumentException(
          USER_VARIABLE + " must not begin with " + RESERVED_PREFIX + ", was " + user);
    }
    this.user = Secret.of(USER_VARIABLE, user, RespCredentials::checkNotEmpty);
    this.password = password;
  }

  /**
   * Returns a user with a password: {@code AUTH user password}.
   *
   * @param user not empty; {@value #DEFAULT_USER} for clients that send only a password
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

  /**
   * Compares user and password in constant time, which does not depend on which is wrong.
   *
   * @param givenUser the user that a client sent
   * @param givenPassword the password that it sent
   * @return whether both match
   */
  public boolean matches(byte[] givenUser, byte[] givenPassword) {
    boolean userMatches = user.matches(givenUser);
    boolean passwordMatches = password.matches(givenPassword);
    return userMatches && passwordMatches;
  }

  @Override
  public String toString() {
    return "RespCredentials[hidden]";
  }
}
