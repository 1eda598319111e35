package dev.sash.server.rls.counter;

import dev.sash.Decision;
import dev.sash.server.rls.wire.RlsStatus.CurrentLimit;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What counts for one descriptor of one request. */
public interface Counter {
  /** The name of the policy under which it counts. */
  String policy();

  /** Spends permits if they fit; 0 only looks. */
  CompletionStage<Decision> ask(long permits);

  /** Records permits whether they fit or not; denied if more is charged than the limit allows. */
  CompletionStage<Decision> charge(long permits);

  /**
   * Gives back permits.
   *
   * @param charged the decision that charged them; null for those that a client gives back
   */
  CompletionStage<Decision> refund(long permits, @Nullable Decision charged);

  /** How Envoy is told of the limit. */
  CurrentLimit limit(Decision decision);
}
