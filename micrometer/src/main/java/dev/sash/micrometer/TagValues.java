package dev.sash.micrometer;

import dev.sash.Decision.Source;
import java.util.Locale;

/** The values of tags for a decision. */
final class TagValues {
  private TagValues() {}

  static String outcome(boolean allowed) {
    return allowed ? "allowed" : "denied";
  }

  static String source(Source source) {
    return source.name().toLowerCase(Locale.ROOT);
  }
}
