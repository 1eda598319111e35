package dev.sash.spring.actuate;

import java.util.ArrayList;
import java.util.List;

/** How the keys of a key expression begin. */
final class KeyPrefixes {
  private KeyPrefixes() {}

  /**
   * Returns the beginnings of keys.
   *
   * @param expression such as {@code user + ip | apikey:X-Api-Key}
   */
  static List<String> of(String expression) {
    List<String> prefixes = new ArrayList<>();
    for (String alternative : expression.split("\\|", -1)) {
      String[] parts = alternative.split("\\+", -1);
      prefixes.add(parts.length > 1 ? "(" : prefixOf(parts[0].strip()));
    }
    if (!prefixes.contains("ip:")) {
      prefixes.add("ip:"); // of requests without the key
    }
    return prefixes;
  }

  private static String prefixOf(String word) {
    int colon = word.indexOf(':');
    String name = colon < 0 ? word : word.substring(0, colon);
    if (!name.equals("hashed")) {
      return name + ":";
    }
    String hashed = prefixOf(word.substring(colon + 1).strip());
    return hashed.substring(0, hashed.length() - 1) + "#";
  }
}
