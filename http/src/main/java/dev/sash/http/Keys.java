package dev.sash.http;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** How keys are written, so that different callers never share one. */
final class Keys {
  /** The longest key that limiters take, in bytes of UTF-8. */
  private static final int MAX_BYTES = 1024;

  private static final String LONG_KEY = "sha256";

  private Keys() {}

  /** A name in front of a value: lower-case letters, digits and hyphens. */
  static String checkedPrefix(String prefix) {
    Objects.requireNonNull(prefix, "prefix must not be null");
    if (!prefix.matches("[a-z][a-z0-9-]{0,31}") || prefix.equals(LONG_KEY)) {
      throw new IllegalArgumentException(
          "prefix must be 1 to 32 lower-case letters, digits and hyphens, the first a letter, and"
              + " not '"
              + LONG_KEY
              + "', was '"
              + prefix
              + "'");
    }
    return prefix;
  }

  /** The name of a header field or a cookie. */
  static String checkedToken(String parameter, String name) {
    Objects.requireNonNull(name, parameter + " must not be null");
    if (!HttpSyntax.isToken(name)) {
      throw new IllegalArgumentException(
          parameter + " must be 1 or more letters, digits or !#$%&'*+-.^_`|~, was '" + name + "'");
    }
    return name;
  }

  /** A name of any characters, so that the colon behind it is found again. */
  static String escapedName(String name) {
    return name.replace("\\", "\\\\").replace(":", "\\:");
  }

  /**
   * Several keys as one. The parts are escaped and stand in parentheses, with which no other key
   * begins: two combinations are equal only if all their parts are.
   */
  static String combined(List<String> parts) {
    StringBuilder key = new StringBuilder("(");
    for (int i = 0; i < parts.size(); i++) {
      key.append(i == 0 ? "" : "|");
      key.append(parts.get(i).replace("\\", "\\\\").replace("|", "\\|"));
    }
    return key.append(')').toString();
  }

  /** The key itself, or if it is too long for a limiter, its hash. */
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

  /** 43 characters of Base64 that may stand in URLs. */
  static String sha256(String text) {
    try {
      return base64(MessageDigest.getInstance("SHA-256").digest(utf8(text)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The same with a secret, so that whoever sees the hash cannot try out values. */
  static String hmacSha256(byte[] secret, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return base64(mac.doFinal(utf8(text)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
