package dev.sash.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Creates connections to Redis that suit a limiter: a command is sent once and now, or fails. By
 * default, Lettuce keeps commands while it is disconnected and sends them later, and sends again
 * those that were not answered: callers would wait for seconds, and be charged twice.
 */
interface Connector {
  /** A connection, and the commands on it, which are the same with and without a cluster. */
  record Session(
      StatefulConnection<String, byte[]> connection,
      RedisClusterAsyncCommands<String, byte[]> commands) {
    /** Returns the server of a cluster that holds a Redis key; null if it is not known. */
    @Nullable RedisClusterNode nodeOf(String redisKey) {
      return connection instanceof StatefulRedisClusterConnection<String, byte[]> cluster
          ? cluster.getPartitions().getMasterBySlot(slot(redisKey))
          : null;
    }

    /**
     * Returns the connection to one server of a cluster, which is the one that the commands use;
     * null if there is none now.
     */
    @Nullable StatefulConnection<String, byte[]> connectionTo(RedisClusterNode node) {
      if (!(connection instanceof StatefulRedisClusterConnection<String, byte[]> cluster)) {
        return null;
      }
      try {
        RedisURI uri = node.getUri();
        StatefulConnection<String, byte[]> found =
            cluster.getConnectionAsync(uri.getHost(), uri.getPort()).getNow(null);
        return found != null && found.isOpen() ? found : null;
      } catch (RedisException | CompletionException | CancellationException e) {
        return null; // the topology has just changed, or the server is down
      }
    }

    void close() {
      if (connection.isOpen()) {
        var unused = connection.closeAsync();
      }
    }
  }

  /** Names are text; the arguments and replies of scripts are binary. */
  RedisCodec<String, byte[]> CODEC = RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

  /** Between attempts of Lettuce: short, since circuit breakers keep callers from waiting. */
  Duration RECONNECT_PAUSE = Duration.ofMillis(100);

  /** How long closing may take. */
  Duration SHUTDOWN_LIMIT = Duration.ofSeconds(2);

  /** More calls than a {@link Batcher} ever has in flight. */
  int REQUEST_QUEUE_SIZE = 2 * Batcher.MAX_WAITING;

  /** Connects. Never throws. */
  CompletionStage<Session> connect();

  /** Called when there is a connection for the first time. */
  default void onFirstConnection() {}

  /**
   * Returns the server that holds a slot.
   *
   * @return its name; empty if there is only one server
   */
  default String serverOf(int slot) {
    return "";
  }

  /** Returns whether keys are spread over several servers. */
  default boolean isCluster() {
    return false;
  }

  /**
   * Reports the event loops that read replies, those of later connections as well. Does nothing for
   * a client that is not ours.
   */
  default void onEventLoop(Consumer<EventLoop> watcher) {}

  /**
   * Releases the threads and sockets that are ours. May be called again.
   *
   * @param last the last session; null if there was none
   */
  void shutdown(@Nullable Session last);

  /**
   * What the user has configured about connections.
   *
   * @param uris each with the time that the handshake of the first connection may take
   * @param connectTimeout how long connecting may take, and the handshake of later connections
   */
  record Options(
      List<RedisURI> uris, boolean cluster, Duration connectTimeout, @Nullable SslOptions tls) {
    void useConnectTimeout() {
      RedisUris.within(uris, connectTimeout);
    }
  }

  static Connector of(Options options) {
    EventLoops loops = new EventLoops();
    ClientResources resources =
        ClientResources.builder()
            .reconnectDelay(Delay.constant(RECONNECT_PAUSE))
            .nettyCustomizer(loops)
            .build();
    return options.cluster()
        ? Cluster.own(options, resources, loops)
        : new Single(options, resources, loops);
  }

  /** The event loops of our client's connections. */
  final class EventLoops implements NettyCustomizer {
    private final Set<EventLoop> seen = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Consumer<EventLoop> watcher;

    void report(Consumer<EventLoop> to) {
      watcher = to;
      seen.forEach(to);
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
      Consumer<EventLoop> to = watcher;
      if (channel.isRegistered() && seen.add(channel.eventLoop()) && to != null) {
        to.accept(channel.eventLoop());
      }
    }
  }

  /** Options for a client under which a command is never sent twice or late. */
  static <B extends ClientOptions.Builder> B limiterOptions(B builder) {
    builder
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .replayFilter(command -> true) // nothing is sent a second time
        .requestQueueSize(REQUEST_QUEUE_SIZE)
        .timeoutOptions(TimeoutOptions.create()); // deadlines are the limiter's
    return builder;
  }

  private static <B extends ClientOptions.Builder> B limiterOptions(B builder, Options options) {
    limiterOptions(builder)
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(options.connectTimeout())
                .keepAlive(true)
                .tcpNoDelay(true)
                .build());
    SslOptions tls = options.tls();
    if (tls != null) {
      builder.sslOptions(tls);
    }
    return builder;
  }

  /**
   * Checks a client that is not ours.
   *
   * @throws IllegalArgumentException if it would keep commands while it is disconnected
   */
  static void check(ClientOptions options) {
    if (options.getDisconnectedBehavior() != ClientOptions.DisconnectedBehavior.REJECT_COMMANDS) {
      throw new IllegalArgumentException(
          "client must reject commands while it is disconnected, or requests could be charged"
              + " late or twice: set the options RedisStore.clientOptions(), disconnectedBehavior"
              + " was "
              + options.getDisconnectedBehavior());
    }
  }

  /** One server, or the master that Sentinel names. */
  final class Single implements Connector {
    private final RedisClient client;
    private final Options options;
    private final ClientResources resources;
    private final EventLoops loops;

    Single(Options options, ClientResources resources, EventLoops loops) {
      this.options = options;
      this.resources = resources;
      this.loops = loops;
      this.client = RedisClient.create(resources);
      client.setOptions(limiterOptions(ClientOptions.builder(), options).build());
    }

    @Override
    public CompletionStage<Session> connect() {
      return client
          .connectAsync(CODEC, options.uris().get(0))
          .thenApply(connection -> new Session(connection, connection.async()));
    }

    @Override
    public void onFirstConnection() {
      options.useConnectTimeout();
    }

    @Override
    public void onEventLoop(Consumer<EventLoop> watcher) {
      loops.report(watcher);
    }

    @Override
    public void shutdown(@Nullable Session last) {
      client.shutdown(Duration.ZERO, SHUTDOWN_LIMIT); // closes the session as well
      var unused = resources.shutdown(0, SHUTDOWN_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** The user's client for one server or Sentinel. Its connections are closed, it is not. */
  final class Shared implements Connector {
    private final RedisClient client;

    Shared(RedisClient client) {
      check(client.getOptions());
      this.client = client;
    }

    @Override
    public CompletionStage<Session> connect() {
      // Only the blocking form knows the client's own URI.
      return CompletableFuture.supplyAsync(
          () -> {
            StatefulRedisConnection<String, byte[]> connection = client.connect(CODEC);
            return new Session(connection, connection.async());
          });
    }

    @Override
    public void shutdown(@Nullable Session last) {
      if (last != null) {
        last.close();
      }
    }
  }

  /** The user's connection. It is never closed, nor connected anew by Sash. */
  final class Given implements Connector {
    private final Session session;

    Given(StatefulRedisConnection<String, byte[]> connection) {
      check(connection.getOptions());
      this.session = new Session(connection, connection.async());
    }

    @Override
    public CompletionStage<Session> connect() {
      return CompletableFuture.completedFuture(session);
    }

    @Override
    public void shutdown(@Nullable Session last) {}
  }

  /** A cluster, found through any of its servers. */
  final class Cluster implements Connector {
    private static final String UNKNOWN = "(unassigned slots)";

    private final RedisClusterClient client;
    private final @Nullable Options options;
    private final @Nullable ClientResources resources;
    private final EventLoops loops;
    private final Map<String, String> names = new ConcurrentHashMap<>();

    /** A user's client, which is not closed, or our own with its resources, which is. */
    private Cluster(
        RedisClusterClient client,
        @Nullable Options options,
        @Nullable ClientResources resources,
        EventLoops loops) {
      this.client = client;
      this.options = options;
      this.resources = resources;
      this.loops = loops;
    }

    static Cluster shared(RedisClusterClient client) {
      check(client.getOptions());
      return new Cluster(client, null, null, new EventLoops());
    }

    static Cluster own(Options options, ClientResources resources, EventLoops loops) {
      RedisClusterClient client = RedisClusterClient.create(resources, options.uris());
      client.setOptions(
          limiterOptions(ClusterClientOptions.builder(), options)
              .topologyRefreshOptions(
                  ClusterTopologyRefreshOptions.builder()
                      .adaptiveRefreshTriggersTimeout(Duration.ofMillis(500))
                      .enablePeriodicRefresh(Duration.ofSeconds(5))
                      .build())
              .build());
      return new Cluster(client, options, resources, loops);
    }

    @Override
    public CompletionStage<Session> connect() {
      return client
          .refreshPartitionsAsync()
          .thenCompose(refreshed -> client.connectAsync(CODEC))
          .thenApply(connection -> new Session(connection, connection.async()));
    }

    @Override
    public void onFirstConnection() {
      if (options != null) {
        options.useConnectTimeout();
      }
    }

    @Override
    public boolean isCluster() {
      return true;
    }

    @Override
    public String serverOf(int slot) {
      RedisClusterNode node = client.getPartitions().getPartitionBySlot(slot);
      return node == null ? UNKNOWN : names.computeIfAbsent(node.getNodeId(), id -> nameOf(node));
    }

    @Override
    public void onEventLoop(Consumer<EventLoop> watcher) {
      loops.report(watcher);
    }

    private static String nameOf(RedisClusterNode node) {
      return "server " + node.getUri().getHost() + ":" + node.getUri().getPort();
    }

    @Override
    public void shutdown(@Nullable Session last) {
      if (resources != null) {
        client.shutdown(Duration.ZERO, SHUTDOWN_LIMIT); // closes the session as well
        var unused = resources.shutdown(0, SHUTDOWN_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      } else if (last != null) {
        last.close();
      }
    }
  }

  /** Returns the slot of a Redis key. */
  static int slot(String redisKey) {
    return SlotHash.getSlot(redisKey);
  }
}
