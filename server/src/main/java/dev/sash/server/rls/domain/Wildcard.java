package dev.sash.server.rls.domain;

import java.util.List;

/**
 * A value with asterisks, each of which matches any characters, or none. Immutable.
 *
 * @param first what a value must begin with
 * @param middle what must follow, in order and apart from each other
 * @param last what a value must end with
 */
record Wildcard(String first, List<String> middle, String last) {
  static boolean isWildcard(String text) {
    return text.indexOf('*') >= 0;
  }

  static Wildcard of(String text) {
    List<String> parts = List.of(text.split("\\*", -1));
    int end = parts.size() - 1;
    return new Wildcard(parts.get(0), parts.subList(1, end), parts.get(end));
  }

  boolean matches(String value) {
    int end = value.length() - last.length();
    if (end < first.length() || !value.startsWith(first) || !value.endsWith(last)) {
      return false;
    }
    int at = first.length();
    for (String part : middle) {
      int found = value.indexOf(part, at);
      if (found < 0 || found + part.length() > end) {
        return false;
      }
      at = found + part.length();
    }
    return true;
  }
}
