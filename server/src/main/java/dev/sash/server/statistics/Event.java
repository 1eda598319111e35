package dev.sash.server.statistics;

import dev.sash.Decision;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A decision that is not yet in the statistics. Reused. */
final class Event {
  String policy = "";
  @Nullable String label;
  long hash;
  long timeMillis;
  long permits;
  boolean shadow;

  /** Whether the limits decided, and not a list. */
  boolean isCounted;

  private @Nullable Decision decision;

  Decision decision() {
    return Objects.requireNonNull(decision);
  }

  void decided(@Nullable Decision by) {
    decision = by;
  }
}
