package dev.sash.server.engine;

import dev.sash.Decision.Source;
import dev.sash.server.access.Receipts;
import dev.sash.server.access.Receipts.Receipt;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Gives permits back to callers with a receipt, and issues the receipts. Thread-safe. */
public final class Refunds {
  private final Engine engine;
  private final @Nullable Receipts receipts;

  /**
   * Creates refunds.
   *
   * @param engine decides
   * @param receipts signs and verifies; null if there are no receipts
   */
  public Refunds(Engine engine, @Nullable Receipts receipts) {
    this.engine = engine;
    this.receipts = receipts;
  }

  /**
   * Returns if there are receipts.
   *
   * @throws NotPermittedException otherwise
   */
  public void requireReceipts() {
    required();
  }

  private Receipts required() {
    if (receipts == null) {
      throw new NotPermittedException(
          "receipts are not available: set "
              + Receipts.SECRET_VARIABLE
              + ", the same on every server that shares the Redis");
    }
    return receipts;
  }

  /**
   * Returns a receipt of a charge.
   *
   * @param answer an answer to a check
   * @return null if nothing was charged, or not in the store
   */
  public @Nullable String receiptFor(CheckResult answer) {
    boolean charged =
        answer.reason() == Reason.LIMIT
            && answer.allowed()
            && answer.permits() > 0
            && answer.decision().source() == Source.STORE;
    return charged
        ? required()
            .issue(
                answer.policy(), answer.limits(), answer.key(), answer.permits(), answer.decision())
        : null;
  }

  /**
   * Gives permits back by a receipt, which cannot be used again.
   *
   * @param request the policy and the key that were charged; without permits, all of them
   * @param text the receipt
   * @return completes with the state of the key afterwards; exceptionally with a {@link
   *     NotPermittedException} if the receipt was used before
   * @throws UnknownPolicyException if there is no such policy
   * @throws IllegalArgumentException if the receipt is not of this key, policy and window, or is
   *     too old, or of fewer permits
   */
  public CompletionStage<CheckResult> redeem(CheckRequest request, String text) {
    Receipts known = required();
    PolicyCharge charge = engine.charge(request);
    Receipt receipt = known.verify(text, charge.policy(), charge.limits(), charge.key());
    long permits = request.permits() == null ? receipt.permits() : request.permits();
    if (permits < 1 || permits > receipt.permits()) {
      throw new IllegalArgumentException(
          "permits must be between 1 and "
              + receipt.permits()
              + ", the permits of the receipt, was "
              + permits);
    }
    return known
        .use(receipt)
        .thenCompose(
            first -> {
              if (!first) {
                throw new NotPermittedException("the receipt has been used before");
              }
              return engine.refund(request.withPermits(permits));
            });
  }
}
