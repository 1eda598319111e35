package dev.sash.server.resp;

import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Refunds;
import dev.sash.server.net.ConnectionLimit;
import dev.sash.server.net.NetworkBounds;
import dev.sash.server.net.NetworkUsage;
import dev.sash.server.net.PeerAddress;
import dev.sash.server.net.TlsFiles;
import dev.sash.server.net.TlsReloader;
import dev.sash.server.resp.command.Conversation;
import dev.sash.server.resp.command.Conversations;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A port for Redis clients: {@code CL.THROTTLE}, {@code SASH.CHECK} and what clients send when they
 * connect. Any number of requests may be sent before their replies are read. Thread-safe.
 *
 * <pre>{@code
 * RespServer server = new RespServer(vertx, engine, RespOptions.defaults());
 * server.listen().onSuccess(port -> System.out.println("redis-cli -p " + port));
 * }</pre>
 */
public final class RespServer {
  private static final long TICK_MILLIS = 1_000;
  private static final long GRACE_SECONDS = 5;

  private final Vertx vertx;
  private final RespOptions options;
  private final Conversations conversations;
  private final ConnectionLimit connections;
  private final NetworkUsage usage;
  private final NetServerOptions transport = new NetServerOptions().setTcpNoDelay(true);
  private final @Nullable TlsReloader tls;
  private volatile int actualPort;

  /** One of those that share the port: what is changed there holds for all. */
  private volatile @Nullable NetServer anyServer;

  private @Nullable Future<String> deployment;
  private @Nullable Future<Void> closing;

  /**
   * Creates a server without receipts and meters.
   *
   * @param vertx has the event loops
   * @param engine decides
   * @param options the options of the port
   */
  public RespServer(Vertx vertx, Engine engine, RespOptions options) {
    this(
        vertx,
        engine,
        new Refunds(engine, null),
        options,
        NetworkUsage.within(NetworkBounds.defaults()),
        new CompositeMeterRegistry());
  }

  /**
   * Creates a server with meters: the counter {@code sash.resp.commands} with the tags {@code
   * command} and {@code outcome}, the gauge {@code sash.resp.connections}, and the meters of {@link
   * ConnectionLimit}.
   *
   * @param vertx has the event loops
   * @param engine decides
   * @param refunds issues and redeems receipts
   * @param options the options of the port
   * @param usage what clients of all protocols use together
   * @param registry receives the meters
   */
  public RespServer(
      Vertx vertx,
      Engine engine,
      Refunds refunds,
      RespOptions options,
      NetworkUsage usage,
      MeterRegistry registry) {
    this.vertx = Objects.requireNonNull(vertx, "vertx must not be null");
    this.options = Objects.requireNonNull(options, "options must not be null");
    TlsFiles files = options.tls();
    this.usage = Objects.requireNonNull(usage, "usage must not be null");
    this.connections =
        new ConnectionLimit("resp", options.maxConnections(), usage.connections(), registry);
    this.tls =
        files == null ? null : TlsReloader.configure(vertx, "RESP", files, transport, connections);
    this.conversations =
        new Conversations(
            engine,
            refunds,
            options.credentials(),
            options.tokens(),
            options.conversationBounds(),
            connections::open,
            registry);
    Gauge.builder("sash.resp.connections", connections, ConnectionLimit::open)
        .description("Connections over RESP")
        .strongReference(true)
        .register(registry);
  }

  /**
   * Opens the port. To be called once.
   *
   * @return completes with the port when it is open, or exceptionally if it is taken
   * @throws IllegalStateException if it was called before
   */
  public synchronized Future<Integer> listen() {
    if (deployment != null) {
      throw new IllegalStateException("a RESP server listens only once");
    }
    DeploymentOptions instances = new DeploymentOptions().setInstances(options.eventLoops());
    deployment = vertx.deployVerticle(Listener::new, instances);
    return deployment.map(
        id -> {
          if (tls != null) {
            tls.watch(Objects.requireNonNull(anyServer)::updateSSLOptions);
          }
          return actualPort;
        });
  }

  /**
   * Closes the port: no connection is taken any more; what was received is answered, and then the
   * connections are closed. To close again does nothing.
   *
   * @return completes when all are, a few seconds later at most
   */
  public synchronized Future<Void> close() {
    if (closing == null) {
      closing =
          deployment == null
              ? Future.succeededFuture()
              : deployment.transform(
                  open ->
                      open.succeeded()
                          ? vertx.undeploy(open.result())
                          : Future.succeededFuture()); // it never was open
    }
    return closing;
  }

  /** The connections of one event loop. */
  private final class Listener extends VerticleBase {
    private final Set<Conversation> open = new HashSet<>();
    private @Nullable NetServer server;

    @Override
    public Future<?> start() {
      // Vert.x' word for a free port that all instances share is a negative one, and HTTP's is -1.
      int port = options.port() == 0 ? -2 : options.port();
      NetServer opening = vertx.createNetServer(transport).connectHandler(this::connected);
      server = opening;
      vertx.setPeriodic(TICK_MILLIS, timer -> new ArrayList<>(open).forEach(Conversation::tick));
      return opening
          .listen(port, options.host())
          .onSuccess(
              open -> {
                actualPort = open.actualPort();
                anyServer = open;
              });
    }

    @Override
    public Future<?> stop() {
      return Objects.requireNonNull(server).shutdown(GRACE_SECONDS, TimeUnit.SECONDS);
    }

    private static PeerAddress peer(NetSocket socket) {
      SocketAddress address = socket.remoteAddress();
      return PeerAddress.of(address == null ? null : address.hostAddress());
    }

    /** Counts a connection; or returns why there is no room for it. */
    private @Nullable String refusal(NetSocket socket) {
      return switch (connections.admit(
          ((NetSocketInternal) socket).channelHandlerContext().channel())) {
        case ADMITTED -> null;
        case TOO_MANY -> "max number of clients reached";
        case TOO_MANY_FROM_ADDRESS -> "max number of clients from this address reached";
      };
    }

    private void connected(NetSocket socket) {
      String refusal = refusal(socket);
      if (refusal != null) {
        socket.end(Buffer.buffer("-ERR " + refusal + "\r\n"));
        return;
      }
      SocketWire wire = new SocketWire(socket, peer(socket));
      Conversation conversation = conversations.start(wire, usage.input().share());
      open.add(conversation);
      socket.shutdownHandler(nothing -> conversation.finish());
      socket.closeHandler(nothing -> open.remove(conversation));
      wire.serve(conversation);
    }
  }
}
