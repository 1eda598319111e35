package dev.sash.server.http;

import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Refunds;
import dev.sash.server.http.forward.ProxyWarning;
import dev.sash.server.http.guard.HttpBounds;
import dev.sash.server.metrics.RequestMeters;
import dev.sash.server.net.ConnectionLimit;
import dev.sash.server.net.NetworkUsage;
import dev.sash.server.net.TlsFiles;
import dev.sash.server.net.TlsReloader;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The HTTP API on its port, with HTTP/1.1 and HTTP/2, on every event loop. */
public final class HttpApi {
  private static final int IDLE_GRACE_SECONDS = 3;

  private final Vertx vertx;
  private final HttpEdge.Shared shared;
  private final List<HttpEdge> edges = Collections.synchronizedList(new ArrayList<>());
  private final @Nullable TlsReloader tls;
  private volatile @Nullable String deployment;

  /**
   * An API that does not listen yet.
   *
   * @param vertx has the event loops
   * @param engine decides
   * @param refunds gives back permits
   * @param operations the server that this is the API of
   * @param usage bounds what clients use, over all protocols
   * @param registry gets meters
   * @param options where and how
   */
  public HttpApi(
      Vertx vertx,
      Engine engine,
      Refunds refunds,
      Operations operations,
      NetworkUsage usage,
      MeterRegistry registry,
      HttpOptions options) {
    this.vertx = vertx;
    ConnectionLimit connections =
        new ConnectionLimit(
            "http", options.bounds().maxConnections(), usage.connections(), registry);
    HttpServerOptions transport = transport(options);
    TlsFiles files = options.tls();
    this.tls =
        files == null
            ? null
            : TlsReloader.configure(
                vertx, "HTTP", files, withTls(transport, options.bounds()), connections);
    this.shared =
        new HttpEdge.Shared(
            engine,
            refunds,
            operations,
            new RequestMeters(registry, "http"),
            options,
            transport,
            connections,
            usage.input(),
            new ProxyWarning(System::nanoTime));
  }

  private static HttpServerOptions transport(HttpOptions options) {
    HttpServerOptions transport =
        new HttpServerOptions()
            .setHost(options.host())
            // Negative: any port that is free, but for all event loops the same.
            .setPort(options.port() == 0 ? -1 : options.port())
            .setMaxHeaderSize(options.bounds().maxHeaderBytes())
            .setMaxInitialLineLength(options.bounds().maxHeaderBytes())
            .setInitialSettings(
                new Http2Settings(new HttpServerOptions().getInitialSettings())
                    .setMaxHeaderListSize(options.bounds().maxHeaderBytes()))
            // Nor upgrades: through a proxy that passes one on, its client would get a connection.
            .setHttp2ClearTextEnabled(false)
            .setAcceptBacklog(1024)
            .setTcpNoDelay(true)
            // Nobody speaks it here, and every message would pass what does.
            .setPerMessageWebSocketCompressionSupported(false)
            .setPerFrameWebSocketCompressionSupported(false)
            // For those that have never sent a head; it gives no answer, so the other comes first.
            .setIdleTimeout((int) options.bounds().idleTimeout().toSeconds() + IDLE_GRACE_SECONDS)
            .setIdleTimeoutUnit(TimeUnit.SECONDS);
    return transport;
  }

  /** A handshake may take as long as the head of a request. */
  private static HttpServerOptions withTls(HttpServerOptions transport, HttpBounds bounds) {
    return transport
        .setUseAlpn(true)
        .setSslHandshakeTimeout(bounds.requestTimeout().toSeconds())
        .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS);
  }

  /**
   * Begins to listen.
   *
   * @return completes with the port
   */
  public Future<Integer> listen() {
    DeploymentOptions everyLoop =
        new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors());
    return vertx
        .deployVerticle(
            () -> {
              HttpEdge edge = new HttpEdge(vertx, shared);
              edges.add(edge);
              return edge;
            },
            everyLoop)
        .map(
            id -> {
              deployment = id;
              if (tls != null) {
                tls.watch(edges.get(0)::updateTls);
              }
              return edges.get(0).port();
            });
  }

  /**
   * Stops listening, and ends when what is under way is answered, or takes longer than the options
   * allow.
   *
   * @return completes when it is over
   */
  public Future<Void> close() {
    String id = deployment;
    return id == null ? Future.succeededFuture() : vertx.undeploy(id);
  }
}
