package dev.sash.server.rls.counter;

import dev.sash.Decision;
import dev.sash.server.rls.wire.RlsStatus.CurrentLimit;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Counts the hits of one descriptor of one request. */
public interface Counter {
  /** Returns the name of the policy under which it counts. */
  String policy();

  /** Acquires permits if they fit; 0 only looks. */
  CompletionStage<Decision> tryAcquire(long permits);

  /** Records permits whether they fit or not; denied if more is charged than the limit allows. */
  CompletionStage<Decision> charge(long permits);

  /**
   * Refunds permits.
   *
   * @param charged the decision that charged them; null if a client refunds them
   */
  CompletionStage<Decision> refund(long permits, @Nullable Decision charged);

  /** Returns the limit as responses to Envoy describe it. */
  CurrentLimit limit(Decision decision);
}
