package dev.sash.server.http.guard;

import dev.sash.server.http.exchange.Exchange;
import dev.sash.server.net.ByteBudget;
import dev.sash.server.net.PendingRequests;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the body of a request, up to a size and within a time. */
public final class BodyReader extends PendingRequests.Pending {
  private static final CharSequence CONTINUE = HttpHeaders.createOptimized("100-continue");

  private final Exchange exchange;
  private final int most;
  private final PendingBodies pending;
  private final Consumer<byte[]> next;
  private @Nullable Buffer received;
  private final ByteBudget.Share share;
  private boolean copied;
  private boolean over;

  private BodyReader(Exchange exchange, int most, PendingBodies pending, Consumer<byte[]> next) {
    this.exchange = exchange;
    this.most = most;
    this.pending = pending;
    this.next = next;
    this.share = pending.share();
  }

  /**
   * Reads a body and continues with it.
   *
   * @param most the most bytes; more is refused
   * @param pending the bodies that are not complete
   * @param next receives the body, if it is neither too large nor too slow nor broken off
   */
  public static void read(
      Exchange exchange, int most, PendingBodies pending, Consumer<byte[]> next) {
    HttpServerRequest request = exchange.request();
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length != null && (length.length() > 9 || Long.parseLong(length) > most)) {
      exchange.refuseAndClose(413, tooLarge(most));
      return;
    }
    String expect = request.getHeader(HttpHeaders.EXPECT);
    if (expect != null && expect.equalsIgnoreCase(CONTINUE.toString())) {
      exchange.request().response().writeContinue();
    }
    BodyReader reader = new BodyReader(exchange, most, pending, next);
    pending.began(reader);
    request.handler(reader::more);
    request.endHandler(nothing -> reader.end());
    request.exceptionHandler(failure -> reader.finish());
  }

  private static String tooLarge(int most) {
    return "body must be at most " + most + " bytes, is larger";
  }

  private void more(Buffer chunk) {
    if (over) {
      return;
    }
    Buffer before = received;
    if (!share.resize(chunk.length() + (before == null ? 0 : before.length()))) {
      finish();
      exchange.refuseAndClose(503, "too many large bodies at once");
      return;
    }
    if (before == null) {
      received = chunk; // commonly all of it, and then it is not copied
    } else {
      received = copied ? before.appendBuffer(chunk) : before.copy().appendBuffer(chunk);
      copied = true;
    }
    if (received.length() > most) {
      finish();
      exchange.refuseAndClose(413, tooLarge(most));
    }
  }

  private void end() {
    if (over) {
      return;
    }
    Buffer body = received;
    finish();
    exchange.attempt(() -> next.accept(body == null ? new byte[0] : body.getBytes()));
  }

  @Override
  protected void expire() {
    finish();
    exchange.refuseAndClose(408, "body must be sent within " + pending.maxSeconds() + " s");
  }

  /** Lets go of what was received. */
  private void finish() {
    if (!over) {
      over = true;
      received = null;
      share.release();
      pending.ended(this);
    }
  }
}
