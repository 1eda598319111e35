package dev.sash.server.override;

import dev.sash.key.Keys;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The keys of a policy that an override is about: one, or all with a prefix. Immutable.
 *
 * @param policy the policy's name
 * @param text the key or the prefix, 1 to 1024 bytes of UTF-8; may be personal data
 * @param isPrefix whether it is a prefix
 */
public record Target(String policy, String text, boolean isPrefix) implements Comparable<Target> {
  /** The most bytes of a key or a prefix. */
  public static final int MAX_KEY_BYTES = 1024;

  private static final Pattern POLICY = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /** Checks the name and the text. */
  public Target {
    Objects.requireNonNull(policy, "policy must not be null");
    if (!POLICY.matcher(policy).matches()) {
      throw new IllegalArgumentException(
          "policy must be 1 to 64 letters, digits, dots, hyphens and underscores");
    }
    TextRule.checked(isPrefix ? "prefix" : "key", MAX_KEY_BYTES, text);
  }

  /**
   * Returns what logs write instead of the key.
   *
   * @return {@code sha256:} and the hash of the key or the prefix
   */
  public String hashed() {
    return "sha256:" + Keys.sha256(text);
  }

  /** By policy, then by key; a key comes before a prefix of the same text. */
  @Override
  public int compareTo(Target other) {
    int byPolicy = policy.compareTo(other.policy);
    if (byPolicy != 0) {
      return byPolicy;
    }
    int byText = text.compareTo(other.text);
    return byText != 0 ? byText : Boolean.compare(isPrefix, other.isPrefix);
  }

  /** Returns the policy and a hash of the key: the key itself may be personal data. */
  @Override
  public String toString() {
    return policy + " " + (isPrefix ? "prefix " : "") + hashed();
  }
}
