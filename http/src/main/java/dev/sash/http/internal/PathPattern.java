package dev.sash.http.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A pattern of paths: {@code /users/*}{@code /orders}, {@code /users/{id}}, {@code /api/**}. A star
 * or a name in braces stands for one segment, two stars at the end for any number of them, none
 * included. Each segment is compared once, so that no path takes long.
 */
public final class PathPattern {
  private static final String ONE = "*";

  /** What no path has once it is decoded and split: a pattern with it would never fit. */
  private static final String NEVER_FOUND = "%?#;\\";

  private final String text;
  private final List<String> segments = new ArrayList<>();
  private boolean open;

  private PathPattern(String text) {
    this.text = text;
  }

  /**
   * Reads a pattern.
   *
   * @throws IllegalArgumentException if the text is not a pattern
   */
  public static PathPattern parse(String text) {
    Objects.requireNonNull(text, "pattern must not be null");
    if (!text.startsWith("/")) {
      throw unreadable(text, "it must begin with a slash");
    }
    PathPattern pattern = new PathPattern(text);
    for (String segment : HttpSyntax.parts(text, '/')) {
      pattern.add(segment);
    }
    return pattern;
  }

  private void add(String segment) {
    if (segment.isEmpty()) {
      return;
    }
    if (open) {
      throw unreadable(text, "** must be its last segment");
    }
    boolean named = segment.matches("\\{[A-Za-z0-9_-]+}");
    if (segment.equals("**")) {
      open = true;
    } else if (named || segment.equals(ONE)) {
      segments.add(ONE);
    } else if (segment.indexOf('*') >= 0
        || segment.indexOf('{') >= 0
        || segment.indexOf('}') >= 0) {
      throw unreadable(text, "* and {name} must be whole segments, found '" + segment + "'");
    } else if (segment.equals(".")
        || segment.equals("..")
        || segment.chars().anyMatch(c -> NEVER_FOUND.indexOf(c) >= 0)) {
      throw unreadable(
          text, "it must be decoded, without dot segments and ? # ; \\, found '" + segment + "'");
    } else {
      segments.add(segment);
    }
  }

  private static IllegalArgumentException unreadable(String text, String reason) {
    return new IllegalArgumentException(
        "pattern must be like /users/*/orders, /users/{id} or /api/**, was '"
            + text
            + "': "
            + reason);
  }

  /** Returns whether at least one of the patterns matches the path. */
  public static boolean oneMatches(List<PathPattern> patterns, RequestPath path) {
    for (PathPattern pattern : patterns) {
      if (pattern.matches(path)) {
        return true;
      }
    }
    return false;
  }

  boolean matches(RequestPath path) {
    List<String> found = path.segments();
    if (found.size() < segments.size() || (!open && found.size() > segments.size())) {
      return false;
    }
    for (int i = 0; i < segments.size(); i++) {
      String expected = segments.get(i);
      if (!expected.equals(ONE) && !expected.equals(found.get(i))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return text;
  }
}
