package dev.sash.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections to Redis that suit a limiter: a command is sent once and now, or fails. Left to
 * itself, Lettuce keeps commands while it is disconnected and sends them later, and again those
 * that were not answered: callers would wait for seconds, and be charged twice.
 */
interface Connector {
  /** A connection, and the commands on it, which are the same with and without a cluster. */
  record Session(
      StatefulConnection<String, byte[]> connection,
      RedisClusterAsyncCommands<String, byte[]> commands) {
    void close() {
      if (connection.isOpen()) {
        var unused = connection.closeAsync();
      }
    }
  }

  /** Connects. */
  CompletionStage<Session> connect();

  /** Names are text, what scripts are told and kept is binary. */
  RedisCodec<String, byte[]> CODEC = RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

  /** How many parts of the keys may fail independently of each other. */
  int shards();

  /** Releases threads and sockets. */
  void shutdown();

  /** What the user has said about connections. */
  record Options(
      List<RedisURI> uris, boolean cluster, Duration connectTimeout, @Nullable SslOptions tls) {}

  static Connector of(Options options) {
    ClientResources resources =
        ClientResources.builder().reconnectDelay(Delay.constant(RECONNECT_PAUSE)).build();
    return options.cluster() ? new Cluster(options, resources) : new Single(options, resources);
  }

  /** Between attempts: short, because whoever waits for Redis is told so by a breaker. */
  Duration RECONNECT_PAUSE = Duration.ofMillis(100);

  /** How long closing may take. */
  Duration SHUTDOWN_LIMIT = Duration.ofSeconds(2);

  /** Slots that belong to one server mostly lie side by side. */
  int SLOTS_PER_SHARD = 1024;

  /** More than callers can have under way within a deadline. */
  int MOST_UNANSWERED = 100_000;

  private static <B extends ClientOptions.Builder> B limiterOptions(B builder, Options options) {
    builder
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .replayFilter(command -> true) // nothing is sent a second time
        .requestQueueSize(MOST_UNANSWERED)
        .timeoutOptions(TimeoutOptions.create()) // deadlines are the limiter's
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

  /** One server, or the master that Sentinel names. */
  final class Single implements Connector {
    private final RedisClient client;
    private final RedisURI uri;
    private final ClientResources resources;

    Single(Options options, ClientResources resources) {
      this.resources = resources;
      this.uri = options.uris().get(0);
      this.client = RedisClient.create(resources);
      client.setOptions(limiterOptions(ClientOptions.builder(), options).build());
    }

    @Override
    public CompletionStage<Session> connect() {
      return client
          .connectAsync(CODEC, uri)
          .thenApply(connection -> new Session(connection, connection.async()));
    }

    @Override
    public int shards() {
      return 1;
    }

    @Override
    public void shutdown() {
      client.shutdown(Duration.ZERO, SHUTDOWN_LIMIT);
      var unused = resources.shutdown(0, SHUTDOWN_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** A cluster, found through any of its nodes. */
  final class Cluster implements Connector {
    private final RedisClusterClient client;
    private final ClientResources resources;

    Cluster(Options options, ClientResources resources) {
      this.resources = resources;
      this.client = RedisClusterClient.create(resources, options.uris());
      client.setOptions(
          limiterOptions(ClusterClientOptions.builder(), options)
              .topologyRefreshOptions(
                  ClusterTopologyRefreshOptions.builder()
                      .adaptiveRefreshTriggersTimeout(Duration.ofMillis(500))
                      .enablePeriodicRefresh(Duration.ofSeconds(5))
                      .build())
              .build());
    }

    @Override
    public CompletionStage<Session> connect() {
      return client
          .refreshPartitionsAsync()
          .thenCompose(refreshed -> client.connectAsync(CODEC))
          .thenApply(connection -> new Session(connection, connection.async()));
    }

    @Override
    public int shards() {
      return SlotHash.SLOT_COUNT / SLOTS_PER_SHARD;
    }

    @Override
    public void shutdown() {
      client.shutdown(Duration.ZERO, SHUTDOWN_LIMIT);
      var unused = resources.shutdown(0, SHUTDOWN_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }
  }
}
