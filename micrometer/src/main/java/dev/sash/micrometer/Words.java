package dev.sash.micrometer;

import dev.sash.Decision.Source;
import java.util.Locale;

/** How tags spell a decision. */
final class Words {
  private Words() {}

  static String outcome(boolean allowed) {
    return allowed ? "allowed" : "denied";
  }

  static String source(Source source) {
    return source.name().toLowerCase(Locale.ROOT);
  }
}
