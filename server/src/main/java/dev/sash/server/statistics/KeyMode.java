package dev.sash.server.statistics;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What statistics keep of keys, which may be personal data. */
public enum KeyMode {
  /** The keys. */
  SHOWN,
  /** A hash of each key with a secret of the process, so that two keys can be told apart. */
  HASHED,
  /** Nothing by which a key can be recognized. */
  HIDDEN;

  private static final int LONGEST = 128;

  /**
   * How options write it.
   *
   * @return for example {@code shown}
   */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns what is kept of a key, at most 129 characters; null if nothing is. */
  @Nullable String label(String key, long hash) {
    return switch (this) {
      case SHOWN -> key.length() <= LONGEST ? key : cut(key);
      case HASHED -> "#" + Long.toHexString(hash >>> 16 | 1L << 48).substring(1);
      case HIDDEN -> null;
    };
  }

  private static String cut(String key) {
    boolean splits = Character.isHighSurrogate(key.charAt(LONGEST - 1));
    return key.substring(0, splits ? LONGEST - 1 : LONGEST) + "…";
  }
}
