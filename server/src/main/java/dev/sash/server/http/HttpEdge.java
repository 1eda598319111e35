package dev.sash.server.http;

import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Refunds;
import dev.sash.server.http.check.Checks;
import dev.sash.server.http.exchange.Exchange;
import dev.sash.server.http.forward.ForwardAuth;
import dev.sash.server.http.forward.ProxyWarning;
import dev.sash.server.http.guard.AdminGuard;
import dev.sash.server.http.guard.BodyReader;
import dev.sash.server.http.guard.BrowserGuard;
import dev.sash.server.http.guard.Connections;
import dev.sash.server.http.guard.PendingBodies;
import dev.sash.server.http.override.OverrideApi;
import dev.sash.server.metrics.Outcome;
import dev.sash.server.metrics.RequestMeters;
import dev.sash.server.net.ByteBudget;
import dev.sash.server.net.ConnectionLimit;
import io.netty.handler.codec.TooLongFrameException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.ServerSSLOptions;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The HTTP server of one event loop: routes each request to its handler. */
final class HttpEdge extends VerticleBase {
  private static final int MOST_IN_BODY = 64 << 10;
  private static final Set<String> HEALTH_PATHS =
      Set.of("/health", "/healthz", "/health/live", "/health/ready", "/ping", "/status", "/ready");
  private static final Buffer INDEX =
      Buffer.buffer(
          """
          Sash: may this key spend n permits now, and if not, when?

          POST /v1/check        {"policy": "default", "key": "user:42"}
          GET  /v1/policies     the policies in force
          GET  /openapi.yaml    everything else
          GET  /livez, /readyz  health
          GET  /metrics         for Prometheus
          """);
  private static final int MOST_IN_BATCH_BODY = 1 << 20;

  /**
   * What all event loops share.
   *
   * @param connections bounds how many there are
   * @param input the bytes of requests that are not complete, over all protocols
   * @param proxyWarning notes proxies that are not trusted
   */
  record Shared(
      Engine engine,
      Refunds refunds,
      Operations operations,
      RequestMeters meters,
      HttpOptions options,
      HttpServerOptions transport,
      ConnectionLimit connections,
      ByteBudget input,
      ProxyWarning proxyWarning) {}

  private final Shared shared;
  private final Checks checks;
  private final ForwardAuth forwardAuth;
  private final BrowserGuard browserGuard;
  private final Connections connections;
  private final PendingBodies bodies;
  private final Administration administration;
  private final StatisticsRoutes statistics;
  private final OverrideApi overrides;
  private final HttpServer server;

  HttpEdge(Vertx vertx, Shared shared) {
    this.shared = shared;
    AdminGuard adminGuard = new AdminGuard(shared.options.tokens());
    this.checks = new Checks(shared.engine, shared.refunds, adminGuard);
    this.forwardAuth = new ForwardAuth(shared.engine, shared.proxyWarning);
    this.browserGuard = new BrowserGuard(shared.options.allowedHosts());
    this.connections = new Connections(shared.connections, shared.options.bounds());
    this.bodies = new PendingBodies(shared.input, shared.options.bounds());
    this.administration =
        new Administration(
            vertx, shared.engine, shared.operations, shared.proxyWarning, adminGuard);
    this.statistics = new StatisticsRoutes(vertx, shared.engine, shared.operations, adminGuard);
    this.overrides = new OverrideApi(shared.engine, shared.operations.overrides(), adminGuard);
    this.server = vertx.createHttpServer(shared.transport);
  }

  @Override
  public Future<?> start() {
    vertx.setPeriodic(
        1_000,
        timer -> {
          connections.tick();
          bodies.tick();
        });
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
    return server.shutdown(
        shared.options.bounds().drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  private void handle(HttpServerRequest request) {
    connections.requested(request.connection());
    Exchange exchange = new Exchange(request, shared.meters);
    exchange.attempt(() -> route(exchange));
  }

  private void route(Exchange exchange) {
    HttpServerRequest request = exchange.request();
    Route.Match match = Route.of(request.path());
    if (match == null) {
      exchange.refuse(404, nothingAt(request.path()));
      return;
    }
    Route route = match.route();
    exchange.is(route.id());
    if (!route.allows(request.method().name())) {
      exchange.header("Allow", route.methods()).refuse(405, "method must be " + route.methods());
      return;
    }
    guard(match, request);
    switch (route) {
      case CHECK -> withBody(exchange, MOST_IN_BODY, body -> checks.check(exchange, body));
      case BATCH -> withBody(exchange, MOST_IN_BATCH_BODY, body -> checks.batch(exchange, body));
      case PEEK -> withBody(exchange, MOST_IN_BODY, body -> checks.peek(exchange, body));
      case REFUND -> withBody(exchange, MOST_IN_BODY, body -> checks.refund(exchange, body));
      case RESET -> withBody(exchange, MOST_IN_BODY, body -> administration.reset(exchange, body));
      case OVERRIDE -> withOverride(exchange, match);
      default -> withoutBody(exchange, match);
    }
  }

  private void withOverride(Exchange exchange, Route.Match match) {
    overrides.admit(exchange);
    boolean isSet = exchange.request().method().equals(HttpMethod.PUT);
    withBody(
        exchange,
        MOST_IN_BODY,
        body -> {
          if (isSet) {
            overrides.set(exchange, match.parameters(), body);
          } else {
            overrides.remove(exchange, match.parameters(), body);
          }
        });
  }

  /** Refuses web pages what spends, refunds or reports permits. */
  private void guard(Route.Match match, HttpServerRequest request) {
    Route route = match.route();
    if (route == Route.FORWARD_AUTH ? !forwardAuth.isFromProxy(request) : route.isGuarded()) {
      browserGuard.admit(request, route == Route.CHECK_BY_PATH || route == Route.FORWARD_AUTH);
    }
  }

  private static String nothingAt(String path) {
    return HEALTH_PATHS.contains(path)
        ? "there is nothing at this path; /livez says whether the process works, and /readyz whether"
            + " requests should be sent here"
        : "there is nothing at this path; /openapi.json says what there is";
  }

  private void withBody(Exchange exchange, int most, Consumer<byte[]> next) {
    String encoding = exchange.request().getHeader(HttpHeaders.CONTENT_ENCODING);
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      exchange.header(HttpHeaders.ACCEPT_ENCODING, "identity");
      exchange.refuseAndClose(415, "body must not be compressed");
      return;
    }
    BodyReader.read(exchange, most, bodies, next);
  }

  /** Whatever body there is all the same is not looked at. */
  private void withoutBody(Exchange exchange, Route.Match match) {
    switch (match.route()) {
      case CHECK_BY_PATH -> checks.checkByPath(exchange, match.parameters());
      case INSPECT -> administration.inspect(exchange, match.parameters());
      case FORWARD_AUTH -> forwardAuth.handle(exchange, match.parameters());
      case EXPLAIN -> administration.explain(exchange);
      case POLICIES -> administration.policies(exchange);
      case CONFIGURATION -> administration.configuration(exchange);
      case RELOAD -> administration.reload(exchange);
      case STATISTICS -> statistics.all(exchange);
      case POLICY_STATISTICS -> statistics.policy(exchange, match.parameters());
      case DENIALS -> statistics.denials(exchange);
      case OVERRIDES -> overrides.list(exchange);
      case AUDIT -> overrides.audit(exchange);
      case LIVENESS -> administration.liveness(exchange);
      case READINESS -> administration.readiness(exchange);
      case METRICS -> administration.metrics(exchange);
      case OPENAPI_JSON -> OpenApi.json(exchange);
      case OPENAPI_YAML -> OpenApi.yaml(exchange);
      case INDEX -> exchange.answer(200, Exchange.TEXT, INDEX, Outcome.DONE);
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
