package dev.sash.spring.method;

import dev.sash.http.PolicyDecision;

/**
 * Tells a client of decisions that a handler's annotation has brought about. Stands under its class
 * in the context of Reactor.
 */
@FunctionalInterface
public interface RequestReport {
  /**
   * Tells.
   *
   * @param decision an admission
   */
  void tell(PolicyDecision decision);
}
