package dev.sash.server.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the body of a request, up to a size. */
final class BodyReader {
  /** How many bytes of unfinished bodies all connections together may hold. */
  private static final long MOST_IN_ALL = 64 << 20;

  private static final CharSequence CONTINUE = HttpHeaders.createOptimized("100-continue");

  private final Exchange exchange;
  private final int most;
  private final AtomicLong held;
  private final Consumer<byte[]> next;
  private @Nullable Buffer received;
  private int counted;
  private boolean over;

  private BodyReader(Exchange exchange, int most, AtomicLong held, Consumer<byte[]> next) {
    this.exchange = exchange;
    this.most = most;
    this.held = held;
    this.next = next;
  }

  /**
   * Reads, and goes on.
   *
   * @param most the most bytes; more is refused
   * @param held what all readers hold together
   * @param next gets the body, if it is not too large and not broken off
   */
  static void read(Exchange exchange, int most, AtomicLong held, Consumer<byte[]> next) {
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
    BodyReader reader = new BodyReader(exchange, most, held, next);
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
    if (before == null) {
      received = chunk; // commonly all of it, and then it is not copied
    } else {
      received = counted == 0 ? before.copy().appendBuffer(chunk) : before.appendBuffer(chunk);
      long inAll = held.addAndGet(received.length() - counted);
      counted = received.length();
      if (inAll > MOST_IN_ALL) {
        finish();
        exchange.refuseAndClose(503, "too many large bodies at once");
        return;
      }
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

  /** Lets go of what was received. */
  private void finish() {
    over = true;
    received = null;
    held.addAndGet(-counted);
    counted = 0;
  }
}
