package dev.sash.server.rls.domain;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import dev.sash.server.rls.counter.Counter;
import dev.sash.server.rls.wire.RlsStatus;
import dev.sash.store.Decisions;
import java.util.concurrent.CompletionStage;

/**
 * The charge of one descriptor.
 *
 * @param place the descriptor's, in the request
 * @param counter decides and records
 * @param permits how many; 0 checks whether there is room
 * @param match what holds for the descriptor
 */
record DescriptorCharge(int place, Counter counter, long permits, Match match)
    implements AllOrNothing.Part {
  @Override
  public String policy() {
    return counter.policy();
  }

  @Override
  public boolean isBinding() {
    return !match.terms().shadow();
  }

  @Override
  public CompletionStage<Decision> tryAcquire(long howMany) {
    CompletionStage<Decision> answer = counter.tryAcquire(howMany);
    return permits > 0 ? answer : answer.thenApply(DescriptorCharge::deniedIfFull);
  }

  /** Records the permits whether they fit or not. */
  CompletionStage<Decision> record() {
    return permits > 0 ? counter.charge(permits) : tryAcquire(0);
  }

  /** A look always succeeds, but its status is whether a request of one permit would. */
  private static Decision deniedIfFull(Decision seen) {
    if (!seen.allowed() || seen.remaining() > 0) {
      return seen;
    }
    long resetMicros = seen.resetAfter().toNanos() / 1_000;
    return Decisions.denied(
        seen.decidedBy(), seen.used(), 0, resetMicros, resetMicros, seen.source());
  }

  @Override
  public CompletionStage<Decision> refund(Decision charged) {
    return counter.refund(permits, charged);
  }

  /** What a decision means to Envoy. */
  RlsStatus status(Decision decision) {
    return RlsStatus.of(decision, isBinding() && !decision.allowed(), counter.limit(decision));
  }
}
