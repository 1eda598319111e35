package dev.sash.server.override;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * What an operator did. Immutable.
 *
 * @param at when, in whole milliseconds
 * @param action what
 * @param author who
 * @param reason why
 * @param override the override that was set or removed
 */
public record AuditEntry(
    Instant at, Action action, String author, String reason, KeyOverride override) {
  /** What operators do to overrides. */
  public enum Action {
    /** Sets an override, or replaces that of the same keys. */
    SET,
    /** Removes an override before it expires. */
    REMOVE;

    /**
     * How answers, logs and meters write it.
     *
     * @return {@code set} or {@code remove}
     */
    public String id() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Checks the texts. */
  public AuditEntry {
    at = at.truncatedTo(ChronoUnit.MILLIS);
    KeyOverride.checkAuthor(author);
    KeyOverride.checkReason(reason);
  }

  /** Returns about how much memory it takes. */
  int weight() {
    return override.weight() + 3 * (author.length() + reason.length());
  }
}
