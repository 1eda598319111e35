package dev.sash.grpc;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import dev.sash.ResolvedKey;
import java.util.concurrent.CompletionStage;

/**
 * A {@link CallRule} for one call.
 *
 * @param target the key to charge, with its limits
 * @param permits the cost of the call
 * @param isBinding whether the call is denied if it does not fit
 */
record CallCharge(ResolvedKey target, long permits, boolean isBinding)
    implements AllOrNothing.Part {
  @Override
  public String policy() {
    return target.policy().name();
  }

  @Override
  public CompletionStage<Decision> tryAcquire(long howMany) {
    return target.tryAcquireAsync(howMany);
  }

  @Override
  public CompletionStage<Decision> refund(Decision charged) {
    return target.refundAsync(permits, charged);
  }
}
