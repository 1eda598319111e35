package dev.sash.server.rls;

import dev.sash.Decision;
import dev.sash.server.rls.RlsStatus.CurrentLimit;
import java.util.concurrent.CompletionStage;

/** What counts for one descriptor of one request. */
interface Counter {
  /** The name of the policy under which it counts. */
  String policy();

  /** Spends permits if they fit; 0 only looks. */
  CompletionStage<Decision> ask(long permits);

  /** Gives back permits. */
  CompletionStage<Decision> refund(long permits);

  /** How Envoy is told of the limit. */
  CurrentLimit limit(Decision decision);
}
