package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.LimitUsage;
import dev.sash.store.Decisions;
import java.time.Duration;
import java.util.List;

/** The usages of an inspection, as far as stores must agree on them. */
final class Usages {
  private Usages() {}

  /** Returns a decision without what each store keeps in its own way: records and their life. */
  static Decision comparable(Decision decision) {
    if (decision.usages().isEmpty()) {
      return decision;
    }
    List<LimitUsage> usages =
        decision.usages().stream()
            .map(
                usage ->
                    new LimitUsage(usage.limit(), usage.used(), 0, Duration.ZERO, usage.releases()))
            .toList();
    return Decisions.withUsages(decision, usages);
  }
}
