package dev.sash.spring.method;

import dev.sash.http.PolicyDecision;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the client of a decision that a handler's annotation has brought about. In the context of
 * Reactor, the consumer itself stands under this class.
 */
@FunctionalInterface
public interface RequestReport {
  /**
   * The request of this thread.
   *
   * @return told of decisions; null if there is none
   */
  @Nullable Consumer<PolicyDecision> ofThisThread();
}
