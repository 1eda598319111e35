package dev.sash.redis;

import dev.sash.Algorithm;
import dev.sash.Limit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The names of Redis keys: {@code prefix:version:{policy:key}:kind}, such as {@code
 * sash:v2:{api:user-42}:sliding-log:60000000}, one for each kind of limit. Immutable.
 *
 * <p>The version is that of the format in which the scripts keep state: processes of two versions
 * that run side by side during an upgrade do not misread each other's state.
 *
 * <p>The braces are Redis Cluster's hash tag: all limits of a policy on a key lie in one slot. They
 * are the only ones in a name, because those of the key are escaped, as are {@code %} itself,
 * control characters, and halves of surrogate pairs, which UTF-8 cannot tell apart. So no key
 * chooses its slot or reads as another key, policy or prefix.
 */
final class KeyNames {
  private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._:-]{1,64}");
  private static final Pattern SHARED = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Pattern ESCAPE = Pattern.compile("%(?:u([0-9A-F]{4})|([0-9A-F]{2}))");
  private static final String KINDS =
      Arrays.stream(Algorithm.values()).map(Algorithm::id).collect(Collectors.joining("|"));
  private static final String FORMAT = "v2";
  private static final String HEX = "0123456789ABCDEF";

  private final String prefix;
  private final Pattern pattern;

  /**
   * @param prefix 1 to 64 letters, digits, dots, colons, hyphens and underscores
   */
  KeyNames(String prefix) {
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "prefix must be 1 to 64 of A-Z a-z 0-9 . _ : -, was '" + prefix + "'");
    }
    this.prefix = prefix;
    this.pattern =
        Pattern.compile(
            Pattern.quote(prefix + ":" + FORMAT)
                + ":\\{(?<policy>[A-Za-z0-9._-]+):(?<key>[^{}]+)}:(?:"
                + KINDS
                + "):[0-9]+(?::[0-9]+)?");
  }

  /**
   * Who is charged.
   *
   * @param policy the policy's name
   * @param key the key
   */
  record Owner(String policy, String key) {}

  /**
   * The names of the states of a key, in the order of the limits.
   *
   * @param policy the policy's name
   * @param key the key
   * @param limits of the policy, for the key
   * @return one name for each limit
   */
  String[] of(String policy, String key, List<Limit> limits) {
    StringBuilder name = new StringBuilder();
    appendTagged(policy, key, name);
    int tagged = name.append(':').length();
    String[] names = new String[limits.size()];
    for (int i = 0; i < names.length; i++) {
      name.setLength(tagged);
      appendKind(limits.get(i), name);
      names[i] = name.toString();
    }
    return names;
  }

  /**
   * Returns what the names of a key begin with: they lie in the same slot.
   *
   * @param policy the policy's name
   * @param key the key
   */
  String tagged(String policy, String key) {
    StringBuilder name = new StringBuilder();
    appendTagged(policy, key, name);
    return name.toString();
  }

  private void appendTagged(String policy, String key, StringBuilder name) {
    name.append(prefix).append(':').append(FORMAT).append(":{").append(policy).append(':');
    escape(key, name);
    name.append('}');
  }

  /**
   * Returns the name of a value that is not the state of a key. It has no braces, so that no key
   * has this name.
   *
   * @param name 1 to 64 letters, digits, dots, hyphens and underscores
   */
  String shared(String name) {
    if (!SHARED.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "name must be 1 to 64 of A-Z a-z 0-9 . _ -, was '" + name + "'");
    }
    return prefix + ":" + FORMAT + ":shared:" + name;
  }

  /** What a change makes another limit of: all but the permits. */
  private static void appendKind(Limit limit, StringBuilder name) {
    name.append(limit.algorithm().id()).append(':').append(limit.windowMicros());
    if (limit.cells() > 0) {
      name.append(':').append(limit.cells());
    }
  }

  /**
   * A pattern for {@code SCAN} that matches the names of a policy's keys and, whatever the keys
   * hold, no others.
   *
   * @param policy the policy's name
   * @return the pattern
   */
  String scanPattern(String policy) {
    return prefix + ":" + FORMAT + ":{" + policy + ":*";
  }

  /**
   * Whose state a Redis key holds.
   *
   * @param name the name of a Redis key
   * @return empty if the name is not one of these
   */
  Optional<Owner> ownerOf(String name) {
    Matcher matcher = pattern.matcher(name);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String escaped = matcher.group("key");
    String key = unescape(escaped);
    StringBuilder again = new StringBuilder();
    escape(key, again);
    return again.toString().equals(escaped) // or there would be two names of one key
        ? Optional.of(new Owner(matcher.group("policy"), key))
        : Optional.empty();
  }

  private static void escape(String key, StringBuilder into) {
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c == '{' || c == '}' || c == '%' || Character.isISOControl(c)) {
        into.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
      } else if (!Character.isSurrogate(c)) {
        into.append(c);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < key.length()
          && Character.isLowSurrogate(key.charAt(i + 1))) {
        into.append(c).append(key.charAt(++i));
      } else {
        into.append("%u");
        for (int shift = 12; shift >= 0; shift -= 4) {
          into.append(HEX.charAt((c >> shift) & 15));
        }
      }
    }
  }

  /** What it returns for text that {@link #escape} never writes does not matter. */
  private static String unescape(String escaped) {
    return ESCAPE
        .matcher(escaped)
        .replaceAll(
            found -> {
              String hex = found.group(1) == null ? found.group(2) : found.group(1);
              return Matcher.quoteReplacement(Character.toString(Integer.parseInt(hex, 16)));
            });
  }
}
