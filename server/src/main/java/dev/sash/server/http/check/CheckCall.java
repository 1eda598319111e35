package dev.sash.server.http.check;

import dev.sash.server.engine.CheckRequest;
import dev.sash.server.http.exchange.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * A request as it was sent over HTTP, and what it has to do with receipts.
 *
 * @param request the request
 * @param wantsReceipt whether the response is to contain a receipt
 * @param receipt the receipt of the charge to refund; null if there is none
 */
public record CheckCall(CheckRequest request, boolean wantsReceipt, @Nullable String receipt) {
  /** Checks that no receipt belongs to limits of the request. */
  public CheckCall {
    if (request.limits() != null && (wantsReceipt || receipt != null)) {
      throw Refusal.bad("receipt must not be given with limits: receipts are for policies");
    }
  }

  /** Creates a call that has to do with no receipt. */
  CheckCall(CheckRequest request) {
    this(request, false, null);
  }
}
