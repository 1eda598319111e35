package dev.sash.server.http.exchange;

import dev.sash.config.ConfigurationException;
import dev.sash.server.engine.NotPermittedException;
import dev.sash.server.engine.UnknownPolicyException;
import dev.sash.server.metrics.Outcome;
import dev.sash.server.metrics.RequestMeters;
import dev.sash.store.StoreException;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request and its one response. Belongs to the event loop of its connection. */
public final class Exchange {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

  /** The content type of JSON. */
  public static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

  /** The content type of plain text. */
  public static final CharSequence TEXT = HttpHeaders.createOptimized("text/plain; charset=utf-8");

  private static final CharSequence PROBLEM =
      HttpHeaders.createOptimized("application/problem+json");
  private static final CharSequence CLOSE = HttpHeaders.createOptimized("close");
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

  private static final int LINGER_MILLIS = 500;

  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final RequestMeters meters;
  private String operation = "unknown";

  /** Begins with a request whose response is not sent. */
  public Exchange(HttpServerRequest request, RequestMeters meters) {
    this.request = request;
    this.response = request.response();
    this.meters = meters;
  }

  /** Returns the request. */
  public HttpServerRequest request() {
    return request;
  }

  /** Returns whether the response is sent or the connection closed. */
  private boolean isOver() {
    return response.ended() || response.closed();
  }

  /** Sets the name of the operation, for meters. */
  public void is(String operation) {
    this.operation = operation;
  }

  /** Sets a field of the response. */
  public Exchange header(CharSequence name, CharSequence value) {
    response.headers().set(name, value);
    return this;
  }

  /** Sends the response. */
  public void answer(int status, CharSequence contentType, Buffer body, Outcome outcome) {
    response.setStatusCode(status);
    header(HttpHeaders.CONTENT_TYPE, contentType).header(HttpHeaders.CACHE_CONTROL, NO_STORE);
    end(body, outcome);
  }

  /** Sends a response without a body. */
  public void answer(int status, Outcome outcome) {
    response.setStatusCode(status);
    header(HttpHeaders.CACHE_CONTROL, NO_STORE);
    end(Buffer.buffer(), outcome);
  }

  private void end(Buffer body, Outcome outcome) {
    meters.count(operation, outcome);
    if (!isOver()) {
      response.end(body);
    }
  }

  /** Refuses the request with a problem (RFC 9457). */
  public void refuse(int status, String detail) {
    problem(status, "about:blank", detail, status < 500 ? Outcome.INVALID : Outcome.FAILED);
  }

  /**
   * Refuses the request and closes the connection, since the rest of its input is not worth
   * reading. It is closed a little later, because a client that is still sending might not receive
   * the response otherwise.
   */
  public void refuseAndClose(int status, String detail) {
    if (request.version() == HttpVersion.HTTP_2) {
      refuse(status, detail); // others have their streams on the same connection
      return;
    }
    header(HttpHeaders.CONNECTION, CLOSE);
    refuse(status, detail);
    HttpConnection connection = request.connection();
    Vertx.currentContext().owner().setTimer(LINGER_MILLIS, timer -> connection.close());
  }

  /** Answers with a problem (RFC 9457). */
  public void problem(int status, String type, String detail, Outcome outcome) {
    JsonBytes json = new JsonBytes();
    problemFields(json.put('{'), status, type, detail);
    answer(status, PROBLEM, json.put('}').toBuffer(), outcome);
  }

  /** Writes the fields of a problem (RFC 9457), without braces around them. */
  public static void problemFields(JsonBytes json, int status, String type, String detail) {
    json.putPlain("\"type\":\"" + type + "\",\"title\":\"")
        .putEscaped(HttpResponseStatus.valueOf(status).reasonPhrase())
        .putPlain("\",\"status\":")
        .put(status)
        .putPlain(",\"detail\":\"")
        .putEscaped(detail)
        .put('"');
  }

  /** Does something that may fail, which is then the answer. */
  public void attempt(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /** Goes on with a result: at once if it is there, or else when it is, on the same event loop. */
  public <T> void after(CompletionStage<T> stage, Consumer<? super T> next) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone() && !future.isCompletedExceptionally()) {
      next.accept(future.join());
      return;
    }
    Context context = Vertx.currentContext();
    meters.beginsToWait();
    var unused =
        future.whenComplete(
            (value, failure) ->
                context.runOnContext(
                    nothing -> {
                      meters.endsToWait();
                      if (failure == null) {
                        attempt(() -> next.accept(value));
                      } else {
                        fail(failure);
                      }
                    }));
  }

  private void fail(Throwable thrown) {
    Throwable failure =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    Refusal refusal = refusal(failure);
    if (refusal.status() == 500) {
      LOG.error("{} failed", operation, failure);
    }
    refuse(refusal.status(), refusal.detail());
  }

  /** Returns the refusal that a failure is to the client. */
  public static Refusal refusal(Throwable failure) {
    if (failure instanceof Refusal refusal) {
      return refusal;
    }
    if (failure instanceof UnknownPolicyException) {
      return new Refusal(404, String.valueOf(failure.getMessage()));
    }
    if (failure instanceof NotPermittedException) {
      return new Refusal(403, String.valueOf(failure.getMessage()));
    }
    if (failure instanceof ConfigurationException) {
      return new Refusal(422, String.valueOf(failure.getMessage()));
    }
    if (failure instanceof StoreException) {
      return new Refusal(503, "the store does not answer");
    }
    if (failure instanceof IllegalArgumentException) {
      return new Refusal(400, String.valueOf(failure.getMessage()));
    }
    return new Refusal(500, "something went wrong; the server's log says what");
  }
}
