package dev.sash.server.statistics;

import java.util.Locale;

/** What is counted over time. */
public enum Measure {
  /** Requests that were admitted, those that a shadow policy would have denied included. */
  ALLOWED,
  /** Requests that were denied. */
  DENIED,
  /** Requests that were admitted although the limit denies them, because it is in shadow mode. */
  WOULD_DENY,
  /** Requests that a failure rule decided, allowed or denied. */
  FALLBACKS;

  private final String id;

  Measure() {
    StringBuilder camel = new StringBuilder();
    for (String word : name().toLowerCase(Locale.ROOT).split("_", -1)) {
      camel.append(
          camel.isEmpty()
              ? word
              : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
    }
    id = camel.toString();
  }

  /**
   * How responses write it.
   *
   * @return for example {@code wouldDeny}
   */
  public String id() {
    return id;
  }
}
