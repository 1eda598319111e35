package dev.sash.internal;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The constructor of {@link Decision}, which users must not see and {@link
 * dev.sash.store.Decisions} needs.
 */
@FunctionalInterface
public interface DecisionMaker {
  /**
   * Creates a decision.
   *
   * @param decidedBy the limit that decided
   * @param used the permits charged to it
   * @param remaining the permits that could be spent now
   * @param retryAfterMicros 0 if allowed
   * @param resetAfterMicros the time until nothing is charged
   * @param source where the decision comes from
   * @param usages one for each limit, or none
   * @return the decision
   */
  Decision make(
      Limit decidedBy,
      long used,
      long remaining,
      long retryAfterMicros,
      long resetAfterMicros,
      Source source,
      List<LimitUsage> usages);

  /**
   * Called once, when {@link Decision} is initialized.
   *
   * @param maker the constructor
   */
  static void install(DecisionMaker maker) {
    Holder.maker = maker;
  }

  /**
   * Returns the constructor.
   *
   * @return what was installed
   */
  static DecisionMaker get() {
    Objects.requireNonNull(Decision.NEVER); // initializes the class
    return Objects.requireNonNull(Holder.maker);
  }

  /** Where {@link #install} leaves the constructor. */
  final class Holder {
    private static volatile @Nullable DecisionMaker maker;

    private Holder() {}
  }
}
