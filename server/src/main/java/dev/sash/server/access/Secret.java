package dev.sash.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A secret that clients must send, from an environment variable or from a file. Only its SHA-256
 * hash is kept. Thread-safe.
 *
 * <p>A file is read again when the secret is used, at most once a second, so that a replaced file
 * takes effect without a restart. If the new content is not acceptable or the file is unreadable,
 * the previous secret stays in use, and the log says so.
 */
public final class Secret {
  private static final Logger LOG = LoggerFactory.getLogger(Secret.class);
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_BYTES = 4096;

  private final String name;
  private final @Nullable Path file;
  private final BiConsumer<String, String> rule;
  private final LongSupplier nanoTime;
  private final AtomicLong readAt;
  private byte[] lastSeen;
  private boolean readable = true;
  private volatile byte[] hash;

  private Secret(
      String name,
      byte[] content,
      @Nullable Path file,
      BiConsumer<String, String> rule,
      LongSupplier nanoTime) {
    this.name = name;
    this.file = file;
    this.rule = rule;
    this.nanoTime = nanoTime;
    this.readAt = new AtomicLong(nanoTime.getAsLong());
    rule.accept(name, new String(content, UTF_8));
    this.hash = sha256(content);
    this.lastSeen = hash;
  }

  /**
   * Returns a secret that does not change.
   *
   * @param name the name for error messages, such as that of the environment variable
   * @param value the secret
   * @param rule receives the name and the secret, and throws an {@link IllegalArgumentException} if
   *     the secret is not acceptable; the message must not contain the secret
   * @return the secret
   */
  public static Secret of(String name, String value, BiConsumer<String, String> rule) {
    return new Secret(name, value.getBytes(UTF_8), null, rule, System::nanoTime);
  }

  /**
   * Returns a secret that is read from a file. A line break at its end does not count.
   *
   * @param name the name for error messages, such as that of the environment variable
   * @param file a regular file of at most 4096 bytes
   * @param rule as in {@link #of(String, String, BiConsumer)}
   * @return the secret
   * @throws IllegalArgumentException if the file is unreadable or its content is not acceptable
   */
  public static Secret ofFile(String name, Path file, BiConsumer<String, String> rule) {
    return ofFile(name, file, rule, System::nanoTime);
  }

  static Secret ofFile(
      String name, Path file, BiConsumer<String, String> rule, LongSupplier nanoTime) {
    try {
      return new Secret(name, read(file), file, rule, nanoTime);
    } catch (IOException e) {
      throw new IllegalArgumentException(unreadable(name, file, e), e);
    }
  }

  /**
   * Returns the secret of an environment variable, or of the file that the same variable with the
   * suffix {@code _FILE} names.
   *
   * @param environment such as {@link System#getenv()}
   * @param variable the name of the variable
   * @param rule as in {@link #of(String, String, BiConsumer)}
   * @return null if neither variable is set
   * @throws IllegalArgumentException if both are set, the file is unreadable or the secret is not
   *     acceptable
   */
  public static @Nullable Secret of(
      Map<String, String> environment, String variable, BiConsumer<String, String> rule) {
    String value = environment.get(variable);
    String fileVariable = variable + "_FILE";
    String file = environment.get(fileVariable);
    if (value != null && file != null) {
      throw new IllegalArgumentException(
          variable + " and " + fileVariable + " must not both be set");
    }
    if (file != null) {
      return ofFile(fileVariable, Path.of(file), rule);
    }
    return value == null ? null : of(variable, value, rule);
  }

  /** Returns the text itself of such a secret, as it is now; null if neither variable is set. */
  static @Nullable String read(
      Map<String, String> environment, String variable, BiConsumer<String, String> rule) {
    Secret secret = of(environment, variable, rule);
    if (secret == null || secret.file == null) {
      return environment.get(variable);
    }
    try {
      return new String(read(secret.file), UTF_8);
    } catch (IOException e) {
      throw new IllegalArgumentException(unreadable(secret.name, secret.file, e), e);
    }
  }

  /**
   * Compares in constant time.
   *
   * @param given what a client sent
   * @return whether it is exactly the secret
   */
  public boolean matches(byte[] given) {
    readAgain();
    // Of hashes, so that the time depends neither on the content nor on the length of the secret.
    return MessageDigest.isEqual(hash, sha256(given));
  }

  /** Returns whether both are the same at the moment. */
  boolean sameAs(Secret other) {
    return MessageDigest.isEqual(hash, other.hash);
  }

  private void readAgain() {
    Path source = file;
    long now = nanoTime.getAsLong();
    long before = readAt.get();
    if (source != null && now - before >= INTERVAL_NANOS && readAt.compareAndSet(before, now)) {
      use(source);
    }
  }

  private synchronized void use(Path source) {
    try {
      byte[] content = read(source);
      readable = true;
      byte[] seen = sha256(content);
      if (!Arrays.equals(seen, lastSeen)) {
        lastSeen = seen;
        rule.accept(name, new String(content, UTF_8));
        hash = seen;
        LOG.info("Secret of {} changed, the new one is in use", name);
      }
    } catch (IOException e) {
      if (readable) {
        readable = false;
        LOG.warn("{}; the previous secret stays in use", unreadable(name, source, e));
      }
    } catch (IllegalArgumentException e) {
      LOG.warn("{}; the previous secret stays in use", e.getMessage());
    }
  }

  /** Returns the content of a file without a line break at its end. */
  static byte[] read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("no such regular file");
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MAX_BYTES + 1);
    }
    if (bytes.length > MAX_BYTES) {
      throw new IOException("longer than " + MAX_BYTES + " bytes");
    }
    int length = bytes.length;
    if (length > 0 && bytes[length - 1] == '\n') {
      length--;
      if (length > 0 && bytes[length - 1] == '\r') {
        length--;
      }
    }
    return Arrays.copyOf(bytes, length);
  }

  static String unreadable(String name, Path file, IOException e) {
    String reason = e.getClass() == IOException.class ? e.getMessage() : e.toString();
    return name + " must name a readable file, was '" + file + "': " + reason;
  }

  private static byte[] sha256(byte[] secret) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(secret);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /** Returns the name, never the secret. */
  @Override
  public String toString() {
    return "Secret[" + name + "]";
  }
}
