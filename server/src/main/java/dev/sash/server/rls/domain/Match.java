package dev.sash.server.rls.domain;

import dev.sash.server.rls.counter.Counter;
import dev.sash.server.rls.wire.RlsStatus;
import org.jspecify.annotations.Nullable;

/**
 * What holds for a descriptor.
 *
 * @param counter decides; null if nothing is to be counted
 * @param uncounted the status if nothing is
 * @param terms what it means for the others
 * @param hits count what it decides; null if nothing does
 */
record Match(
    @Nullable Counter counter,
    RlsStatus uncounted,
    Terms terms,
    DescriptorMeters.@Nullable Hits hits) {
  /** No limit. */
  static final Match NONE = uncounted(RlsStatus.UNMATCHED, Terms.PLAIN);

  static Match uncounted(RlsStatus status, Terms terms) {
    return new Match(null, status, terms, null);
  }

  static Match counted(Counter counter, Terms terms) {
    return new Match(counter, RlsStatus.UNMATCHED, terms, null);
  }
}
