package dev.sash.http.internal;

import dev.sash.address.IpAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hops that a request says it took, from the nearest one outwards.
 *
 * <p>Each proxy adds its peer at the right end of the field, or as a line below it. So the field is
 * read from there, and only as far as its writers are trusted: what stands further to the left,
 * where anybody may have written anything, has no influence, not even on where a quotation begins.
 */
public final class ForwardingHops {
  private final List<String> lines;
  private final boolean mayQuote;
  private int line;
  private String rest = "";

  /**
   * @param lines of the field, from the first to the last
   * @param mayQuote whether commas may stand inside quotation marks
   */
  public ForwardingHops(List<String> lines, boolean mayQuote) {
    this.lines = lines;
    this.mayQuote = mayQuote;
    this.line = lines.size();
  }

  /** The next hop outwards, or null if there is none; empty list elements are none. */
  public @Nullable String next() {
    while (true) {
      while (rest.isEmpty()) {
        if (line == 0) {
          return null;
        }
        rest = lines.get(--line).strip();
      }
      int comma = lastComma();
      String element = rest.substring(comma + 1).strip();
      rest = comma < 0 ? "" : rest.substring(0, comma).strip();
      if (!element.isEmpty()) {
        return element;
      }
    }
  }

  private int lastComma() {
    boolean quoted = false;
    for (int i = rest.length() - 1; i >= 0; i--) {
      char c = rest.charAt(i);
      if (c == ',' && !quoted) {
        return i;
      }
      if (c == '"' && mayQuote) {
        quoted = quoted ? isEscaped(i) : true;
      }
    }
    return -1;
  }

  private boolean isEscaped(int at) {
    int backslashes = 0;
    while (at - 1 - backslashes >= 0 && rest.charAt(at - 1 - backslashes) == '\\') {
      backslashes++;
    }
    return backslashes % 2 == 1;
  }

  /** The address of {@code 192.0.2.1}, {@code 192.0.2.1:80} or {@code [2001:db8::1]:80}. */
  public static @Nullable IpAddress address(String node) {
    if (node.startsWith("[")) {
      int end = node.indexOf(']');
      String inside = end < 0 ? "" : node.substring(1, end);
      boolean readable = inside.indexOf(':') >= 0 && isPort(node.substring(end + 1));
      return readable ? IpAddress.parseOrNull(inside) : null;
    }
    int colon = node.indexOf(':');
    if (colon >= 0 && node.indexOf(':', colon + 1) < 0) {
      return isPort(node.substring(colon)) ? IpAddress.parseOrNull(node.substring(0, colon)) : null;
    }
    return IpAddress.parseOrNull(node);
  }

  /** Whether it is nothing, or a colon and one to five digits. */
  private static boolean isPort(String text) {
    if (text.isEmpty()) {
      return true;
    }
    if (text.charAt(0) != ':' || text.length() < 2 || text.length() > 6) {
      return false;
    }
    for (int i = 1; i < text.length(); i++) {
      if (!HttpSyntax.isDigit(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /**
   * What the parameter {@code for} of one element of {@code Forwarded} says (RFC 7239); null if the
   * element is malformed, has no such parameter, or more than one.
   */
  public static @Nullable String forwardedFor(String element) {
    String found = null;
    int at = 0;
    while (at < element.length()) {
      int equals = element.indexOf('=', at);
      String name = equals < 0 ? "" : element.substring(at, equals).strip();
      StringBuilder value = new StringBuilder();
      int end = HttpSyntax.isToken(name) ? endOfPair(element, equals + 1, value) : -1;
      boolean isFor = name.equalsIgnoreCase("for");
      if (end < 0 || (isFor && found != null)) {
        return null;
      }
      found = isFor ? value.toString() : found;
      at = end;
    }
    return found;
  }

  /** Reads a value and the semicolon behind it; returns where the next pair begins, or -1. */
  private static int endOfPair(String element, int start, StringBuilder value) {
    int at = HttpSyntax.tokenOrQuoted(element, start, value);
    while (at >= 0 && at < element.length() && element.charAt(at) == ' ') {
      at++;
    }
    boolean ends = at < 0 || at == element.length() || element.charAt(at) == ';';
    return ends ? (at < 0 ? -1 : at + 1) : -1;
  }
}
