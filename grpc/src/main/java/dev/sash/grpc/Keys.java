package dev.sash.grpc;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Objects;

/** How keys are written, so that different callers never share one. */
final class Keys {
  /** The longest key that limiters take, in bytes of UTF-8. */
  private static final int MAX_BYTES = 1024;

  private static final String LONG_KEY = "sha256";

  private Keys() {}

  static String checkedPrefix(String prefix) {
    Objects.requireNonNull(prefix, "prefix must not be null");
    if (!prefix.matches("[a-z][a-z0-9-]{0,31}") || prefix.equals(LONG_KEY)) {
      throw new IllegalArgumentException(
          "prefix must be 1 to 32 of a-z 0-9 -, begin with a letter, and not be 'sha256', was '"
              + prefix
              + "'");
    }
    return prefix;
  }

  /** In parentheses, with which no other key begins, and escaped: equal only if both parts are. */
  static String combined(String first, String second) {
    return "(" + escaped(first) + "|" + escaped(second) + ")";
  }

  private static String escaped(String part) {
    return part.replace("\\", "\\\\").replace("|", "\\|");
  }

  /** The key itself, or its hash if it is too long for a limiter. */
  static String fitting(String key) {
    // A char takes 3 bytes at most.
    boolean fits = key.length() <= MAX_BYTES / 3 || utf8Bytes(key) <= MAX_BYTES;
    return fits ? key : LONG_KEY + ":" + sha256(key);
  }

  /** As limiters count: half of a pair of surrogates, which cannot be encoded, takes 3 bytes. */
  private static long utf8Bytes(String key) {
    return key.codePoints()
        .mapToLong(point -> point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)
        .sum();
  }

  /** 43 characters of URL-safe Base64. */
  static String sha256(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
