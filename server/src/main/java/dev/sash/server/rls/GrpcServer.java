package dev.sash.server.rls;

import dev.sash.server.engine.Engine;
import dev.sash.server.metrics.RequestMeters;
import dev.sash.server.net.ConnectionLimit;
import dev.sash.server.net.NetworkBounds;
import dev.sash.server.net.NetworkUsage;
import dev.sash.server.rls.domain.Decider;
import dev.sash.server.rls.domain.DescriptorMeters;
import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * gRPC on its own port: Envoy's rate limit service, health and reflection. Thread-safe.
 *
 * <p>Calls run on the event loops: nothing here blocks.
 */
public final class GrpcServer implements AutoCloseable {
  /** Less than the 20 ms that Envoy waits, so that a failure rule decides and not Envoy's. */
  private static final Duration DEFAULT_DEADLINE = Duration.ofMillis(15);

  /** The longest message taken, as it is sent and when it is unpacked. */
  private static final int MAX_MESSAGE_BYTES = 64 * 1024;

  /**
   * Those under way on a connection. Bounds what waits for a store. Clients with more calls wait or
   * connect again.
   */
  private static final int MAX_CALLS_PER_CONNECTION = 1_000;

  private static final int KEEP_ALIVE_SECONDS = 5;
  private static final int POLL_MILLIS = 5;
  private static final int END_SECONDS = 5;

  /** In which other threads leave the last answers, which are sent by then. */
  private static final int QUIET_MILLIS = 50;

  private final GrpcOptions options;
  private final @Nullable SslContext tls;
  private final RlsService service;
  private final HealthStatusManager health = new HealthStatusManager();
  private final EventLoopGroup eventLoops =
      new MultiThreadIoEventLoopGroup(
          Runtime.getRuntime().availableProcessors(),
          new DefaultThreadFactory("sash-grpc", true),
          NioIoHandler.newFactory());
  private final ConnectionLimit connections;
  private final UnfinishedCalls unfinished;
  private @Nullable Server server;

  /**
   * Creates a server that does not listen yet. It gives a remote store 15 ms, a little less than
   * Envoy waits.
   *
   * @param engine decides
   * @param options where and how
   * @param tls the context of TLS, such as {@link GrpcTls}; null for no TLS
   * @param usage bounds what clients use, over all protocols
   * @param registry receives meters
   */
  public GrpcServer(
      Engine engine,
      GrpcOptions options,
      @Nullable SslContext tls,
      NetworkUsage usage,
      MeterRegistry registry) {
    this(engine, options, tls, usage, registry, DEFAULT_DEADLINE);
  }

  /**
   * Creates a server that does not listen yet, without TLS.
   *
   * @param engine decides
   * @param options where and how
   * @param registry receives meters
   * @param deadline within which a remote store must have answered where limits of Envoy's form are
   *     counted: then this process decides alone. Policies have their own
   */
  GrpcServer(Engine engine, GrpcOptions options, MeterRegistry registry, Duration deadline) {
    this(engine, options, null, NetworkUsage.within(NetworkBounds.defaults()), registry, deadline);
  }

  private GrpcServer(
      Engine engine,
      GrpcOptions options,
      @Nullable SslContext tls,
      NetworkUsage usage,
      MeterRegistry registry,
      Duration deadline) {
    this.options = options;
    this.tls = tls;
    Decider decider = new Decider(engine, deadline, new DescriptorMeters(registry));
    this.service = new RlsService(decider, new RequestMeters(registry, "grpc"));
    this.connections =
        new ConnectionLimit("grpc", options.maxConnections(), usage.connections(), registry);
    this.unfinished = new UnfinishedCalls(usage.input(), options.requestTimeout());
    health.setStatus(RlsService.NAME, ServingStatus.SERVING);
  }

  @SuppressWarnings("deprecation") // grpcurl and others still ask for the older reflection
  private Server build() {
    InetSocketAddress address = new InetSocketAddress(options.host(), options.port());
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .bossEventLoopGroup(eventLoops)
            .workerEventLoopGroup(eventLoops)
            .channelFactory(() -> new LimitedServerChannel(connections))
            .directExecutor()
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .maxInboundMetadataSize(UnfinishedCalls.METADATA_BYTES)
            .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
            .addStreamTracerFactory(unfinished)
            .intercept(unfinished)
            .handshakeTimeout(options.requestTimeout().toSeconds(), TimeUnit.SECONDS)
            .maxConnectionIdle(options.idleTimeout().toSeconds(), TimeUnit.SECONDS)
            // Finds clients that are gone, but have calls: those that watch health.
            .keepAliveTime(options.idleTimeout().toSeconds(), TimeUnit.SECONDS)
            .keepAliveTimeout(options.requestTimeout().toSeconds(), TimeUnit.SECONDS)
            // Envoy's connection_keepalive may ping often, and while there are no calls.
            .permitKeepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .addService(service.definition())
            .addService(health.getHealthService())
            .addService(ProtoReflectionServiceV1.newInstance())
            .addService(io.grpc.protobuf.services.ProtoReflectionService.newInstance());
    if (tls != null) {
      builder.sslContext(tls);
    }
    return builder.build();
  }

  /**
   * Begins to listen.
   *
   * @return the port
   * @throws IllegalStateException if it cannot, such as for a port that is taken
   */
  public synchronized int listen() {
    StreamErrorFilter.install();
    unfinished.watch(eventLoops);
    try {
      server = build().start();
      return server.getPort();
    } catch (IOException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException(
          "cannot listen for gRPC on %s, port %d: %s"
              .formatted(options.host(), options.port(), cause.getMessage()),
          e);
    }
  }

  /**
   * Tells clients that ask for health, and those that watch it, that no service is serving any
   * more, so that they go elsewhere. Further calls are answered as before.
   */
  public void drain() {
    health.enterTerminalState();
  }

  /**
   * Stops listening, answers what is under way within the time that the options allow, and ends.
   * Calls that watch health end here too: they would never end by themselves.
   */
  @Override
  public synchronized void close() {
    if (server != null) {
      stop(server);
    }
    eventLoops
        .shutdownGracefully(QUIET_MILLIS, END_SECONDS * 1_000L, TimeUnit.MILLISECONDS)
        .syncUninterruptibly();
  }

  private void stop(Server listening) {
    listening.shutdown();
    long end = System.nanoTime() + options.drainTimeout().toNanos();
    try {
      while (service.underWay() > 0 && System.nanoTime() < end) {
        listening.awaitTermination(POLL_MILLIS, TimeUnit.MILLISECONDS);
      }
      listening.shutdownNow().awaitTermination(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      listening.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
