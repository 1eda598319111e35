package dev.sash.server.http;

import dev.sash.server.engine.Engine;
import dev.sash.server.metrics.RequestMeters;
import io.netty.handler.codec.TooLongFrameException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.ServerSSLOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The HTTP server of one event loop: finds out what is asked for, and who answers. */
final class HttpEdge extends VerticleBase {
  private static final int MOST_IN_BODY = 64 << 10;
  private static final int MOST_IN_BATCH_BODY = 1 << 20;

  /**
   * What all event loops share.
   *
   * @param connections how many there are
   * @param bodyBytes held by bodies that are not whole yet
   * @param onRefused called for each connection beyond the maximum
   */
  record Shared(
      Engine engine,
      Operations operations,
      RequestMeters meters,
      HttpOptions options,
      HttpServerOptions transport,
      AtomicInteger connections,
      AtomicLong bodyBytes,
      Runnable onRefused) {}

  private final Shared shared;
  private final Questions questions;
  private final ForwardAuth forwardAuth;
  private final Connections connections;
  private final Administration administration;
  private final HttpServer server;

  HttpEdge(Vertx vertx, Shared shared) {
    this.shared = shared;
    this.questions = new Questions(shared.engine);
    this.forwardAuth = new ForwardAuth(shared.engine);
    this.connections =
        new Connections(
            shared.connections,
            shared.options.maxConnections(),
            shared.onRefused,
            shared.options.idleTimeout().toSeconds());
    this.administration =
        new Administration(
            vertx,
            shared.engine,
            questions,
            shared.operations,
            new AdminGuard(shared.options.tokens()));
    this.server = vertx.createHttpServer(shared.transport);
  }

  @Override
  public Future<?> start() {
    vertx.setPeriodic(1_000, timer -> connections.tick());
    return server
        .connectionHandler(connections::opened)
        .invalidRequestHandler(this::handleInvalid)
        .requestHandler(this::handle)
        .listen();
  }

  int port() {
    return server.actualPort();
  }

  /** Puts other certificates into effect, for the connections that follow on all event loops. */
  Future<Boolean> updateTls(ServerSSLOptions options) {
    return server.updateSSLOptions(options);
  }

  /** Answers what is under way, and nothing that comes after. */
  @Override
  public Future<?> stop() {
    return server.shutdown(shared.options.drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  private void handle(HttpServerRequest request) {
    Exchange exchange = new Exchange(request, shared.meters);
    exchange.attempt(() -> route(exchange));
  }

  private void route(Exchange exchange) {
    HttpServerRequest request = exchange.request();
    Route.Match match = Route.of(request.path());
    if (match == null) {
      connections.requested(request.connection());
      exchange.refuse(404, "there is nothing at this path; /openapi.json says what there is");
      return;
    }
    Route route = match.route();
    exchange.is(route.id());
    if (!route.allows(request.method().name())) {
      connections.requested(request.connection());
      exchange.header("Allow", route.methods()).refuse(405, "method must be " + route.methods());
      return;
    }
    switch (route) {
      case CHECK -> withBody(exchange, MOST_IN_BODY, body -> questions.check(exchange, body));
      case BATCH -> withBody(exchange, MOST_IN_BATCH_BODY, body -> questions.batch(exchange, body));
      case PEEK -> withBody(exchange, MOST_IN_BODY, body -> questions.peek(exchange, body));
      case REFUND -> withBody(exchange, MOST_IN_BODY, body -> questions.refund(exchange, body));
      case RESET -> withBody(exchange, MOST_IN_BODY, body -> administration.reset(exchange, body));
      default -> {
        connections.requested(request.connection());
        withoutBody(exchange, match);
      }
    }
  }

  private void withBody(Exchange exchange, int most, Consumer<byte[]> next) {
    HttpServerRequest request = exchange.request();
    connections.awaitsBody(request.connection(), exchange);
    BodyReader.read(
        exchange,
        most,
        shared.bodyBytes,
        body -> {
          connections.requested(request.connection());
          next.accept(body);
        });
  }

  /** Whatever body there is all the same is not looked at. */
  private void withoutBody(Exchange exchange, Route.Match match) {
    switch (match.route()) {
      case CHECK_BY_PATH -> questions.checkByPath(exchange, match.parameters());
      case INSPECT -> administration.inspect(exchange, match.parameters());
      case FORWARD_AUTH -> forwardAuth.handle(exchange, match.parameters());
      case POLICIES -> administration.policies(exchange);
      case CONFIGURATION -> administration.configuration(exchange);
      case RELOAD -> administration.reload(exchange);
      case LIVENESS -> administration.liveness(exchange);
      case READINESS -> administration.readiness(exchange);
      case METRICS -> administration.metrics(exchange);
      case OPENAPI_JSON -> OpenApi.json(exchange);
      case OPENAPI_YAML -> OpenApi.yaml(exchange);
      default -> throw new IllegalStateException("unreachable: " + match.route());
    }
  }

  /** What is not even HTTP. */
  private void handleInvalid(HttpServerRequest request) {
    Exchange exchange = new Exchange(request, shared.meters);
    Throwable cause = request.decoderResult().cause();
    if (cause instanceof TooLongFrameException) {
      boolean line = String.valueOf(cause.getMessage()).contains("line");
      exchange.refuseAndClose(line ? 414 : 431, line ? "URI is too long" : "header is too large");
    } else {
      exchange.refuseAndClose(400, "request must be HTTP");
    }
  }
}
