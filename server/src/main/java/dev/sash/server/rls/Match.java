package dev.sash.server.rls;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What holds for a descriptor.
 *
 * @param counter decides; null if nothing is to be counted
 * @param uncounted the status if nothing is
 * @param binding whether its denial denies the request
 * @param name by which others can replace it; null if it has none
 * @param replaces the names of limits that do not hold in the same request
 */
record Match(
    @Nullable Counter counter,
    RlsStatus uncounted,
    boolean binding,
    @Nullable String name,
    List<String> replaces) {
  /** No limit. */
  static final Match NONE = uncounted(RlsStatus.UNMATCHED, List.of());

  static Match uncounted(RlsStatus status, List<String> replaces) {
    return new Match(null, status, false, null, replaces);
  }

  static Match counted(Counter counter, boolean binding) {
    return new Match(counter, RlsStatus.UNMATCHED, binding, null, List.of());
  }
}
