package dev.sash.server.access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The user and password with which this server connects to Redis. Thread-safe.
 *
 * @param user the user; empty for the default user
 * @param password returns the current password; called for every connection
 */
public record RedisLogin(String user, Supplier<String> password) {
  /** The environment variable with the user. */
  public static final String USER_VARIABLE = "SASH_REDIS_USER";

  /** The environment variable with the name of a file that has the password. */
  public static final String PASSWORD_FILE_VARIABLE = "SASH_REDIS_PASSWORD_FILE";

  /**
   * Returns the login in {@value #USER_VARIABLE} and {@value #PASSWORD_FILE_VARIABLE}. The file is
   * read for every connection.
   *
   * @param environment such as {@link System#getenv()}
   * @return null if there is no file
   * @throws IllegalArgumentException if the file is unreadable or empty, or there is a user without
   *     a file
   */
  public static @Nullable RedisLogin of(Map<String, String> environment) {
    String user = environment.get(USER_VARIABLE);
    String file = environment.get(PASSWORD_FILE_VARIABLE);
    if (file == null && user != null) {
      throw new IllegalArgumentException(
          USER_VARIABLE + " must not be set without " + PASSWORD_FILE_VARIABLE);
    }
    if (file == null) {
      return null;
    }
    Path path = Path.of(file);
    try {
      if (Secret.read(path).length == 0) {
        throw new IllegalArgumentException(PASSWORD_FILE_VARIABLE + " must not name an empty file");
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(Secret.unreadable(PASSWORD_FILE_VARIABLE, path, e), e);
    }
    return new RedisLogin(Objects.requireNonNullElse(user, ""), () -> read(path));
  }

  private static String read(Path file) {
    try {
      return new String(Secret.read(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the user, never the password. */
  @Override
  public String toString() {
    return "RedisLogin[user=" + user + "]";
  }
}
