package dev.sash.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** The version of Sash. */
public final class Version {
  private Version() {}

  /**
   * Returns the version.
   *
   * @return for example {@code 1.2.0}
   */
  public static String current() {
    try (InputStream in = Version.class.getResourceAsStream("version.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
