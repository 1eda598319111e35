package dev.sash.server.rls.domain;

import dev.sash.server.rls.counter.TimeLimit;
import dev.sash.server.rls.wire.InvalidRequestException;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;

/** Whose limits a request means. */
@FunctionalInterface
interface Domain {
  /** A domain that nobody has configured: nothing is limited. */
  Domain UNKNOWN = (descriptor, time) -> Match.NONE;

  /**
   * What holds for a descriptor.
   *
   * @param time in which stores must have answered
   * @throws InvalidRequestException if its own limit is none
   */
  Match match(Descriptor descriptor, TimeLimit time);
}
