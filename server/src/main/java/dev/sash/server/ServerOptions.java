package dev.sash.server;

import dev.sash.server.access.RedisLogin;
import dev.sash.server.http.HttpOptions;
import dev.sash.server.net.NetworkBounds;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.rls.GrpcOptions;
import dev.sash.server.statistics.StatisticsOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The options of a server. Immutable.
 *
 * <pre>{@code
 * ServerOptions.of(HttpOptions.at("127.0.0.1", 8080)).withRedis(List.of("redis://10.0.0.7"))
 * }</pre>
 */
public final class ServerOptions {
  private HttpOptions http;
  private @Nullable GrpcOptions grpc;
  private @Nullable RespOptions resp;
  private @Nullable Path configuration;
  private List<String> redisUris = List.of();
  private @Nullable RedisLogin redisLogin;
  private int nodes = 1;
  private long maxBytes;
  private @Nullable String receiptSecret;
  private NetworkBounds network = NetworkBounds.defaults();
  private @Nullable Path stateDirectory;
  private Duration stateInterval = Duration.ofSeconds(5);
  private Duration drainDelay = Duration.ZERO;
  private StatisticsOptions statistics = StatisticsOptions.defaults();

  private ServerOptions(HttpOptions http) {
    this.http = http;
  }

  /**
   * Returns the defaults: the default configuration, in memory, without gRPC and RESP.
   *
   * @param http where and how HTTP is spoken
   * @return the options
   */
  public static ServerOptions of(HttpOptions http) {
    return new ServerOptions(http);
  }

  /** Returns a changed copy. */
  private ServerOptions with(Consumer<ServerOptions> change) {
    ServerOptions copy = new ServerOptions(http);
    copy.grpc = grpc;
    copy.resp = resp;
    copy.configuration = configuration;
    copy.redisUris = redisUris;
    copy.redisLogin = redisLogin;
    copy.nodes = nodes;
    copy.maxBytes = maxBytes;
    copy.receiptSecret = receiptSecret;
    copy.network = network;
    copy.stateDirectory = stateDirectory;
    copy.stateInterval = stateInterval;
    copy.drainDelay = drainDelay;
    copy.statistics = statistics;
    change.accept(copy);
    return copy;
  }

  /**
   * Returns where and how HTTP is spoken.
   *
   * @return where and how HTTP is spoken
   */
  public HttpOptions http() {
    return http;
  }

  /**
   * Returns where and how Envoy's protocol is spoken.
   *
   * @return null if it is not
   */
  public @Nullable GrpcOptions grpc() {
    return grpc;
  }

  /**
   * Sets where and how Envoy's protocol is spoken.
   *
   * @param grpc null if it is not
   * @return a copy of these options
   */
  public ServerOptions withGrpc(@Nullable GrpcOptions grpc) {
    return with(copy -> copy.grpc = grpc);
  }

  /**
   * Returns where and how RESP is spoken.
   *
   * @return null if it is not
   */
  public @Nullable RespOptions resp() {
    return resp;
  }

  /**
   * Sets where and how RESP is spoken.
   *
   * @param resp null if it is not
   * @return a copy of these options
   */
  public ServerOptions withResp(@Nullable RespOptions resp) {
    return with(copy -> copy.resp = resp);
  }

  /**
   * Returns the file or directory of the configuration.
   *
   * @return null for the default
   */
  public @Nullable Path configuration() {
    return configuration;
  }

  /**
   * Sets the file or directory of the configuration.
   *
   * @param configuration null for the default
   * @return a copy of these options
   */
  public ServerOptions withConfiguration(@Nullable Path configuration) {
    return with(copy -> copy.configuration = configuration);
  }

  /**
   * Returns where the state is kept.
   *
   * @return empty for this process
   */
  public List<String> redisUris() {
    return redisUris;
  }

  /**
   * Sets where the state is kept.
   *
   * @param redisUris empty for this process
   * @return a copy of these options
   */
  public ServerOptions withRedis(List<String> redisUris) {
    return with(copy -> copy.redisUris = List.copyOf(redisUris));
  }

  /**
   * Returns the user and password of Redis.
   *
   * @return null for those in the URIs
   */
  public @Nullable RedisLogin redisLogin() {
    return redisLogin;
  }

  /**
   * Sets the user and password of Redis.
   *
   * @param redisLogin null for those in the URIs
   * @return a copy of these options
   */
  public ServerOptions withRedisLogin(@Nullable RedisLogin redisLogin) {
    return with(copy -> copy.redisLogin = redisLogin);
  }

  /**
   * Returns the number of servers that share the limits while Redis is unavailable.
   *
   * @return the number of servers that share the limits while Redis is unavailable
   */
  public int nodes() {
    return nodes;
  }

  /**
   * Sets the number of servers that share the limits while Redis is unavailable.
   *
   * @param nodes the number of servers that share the limits while Redis is unavailable
   * @return a copy of these options
   */
  public ServerOptions withNodes(int nodes) {
    return with(copy -> copy.nodes = nodes);
  }

  /**
   * Returns the most bytes of keys and their state in this process.
   *
   * @return 0 for a quarter of the maximum heap
   */
  public long maxBytes() {
    return maxBytes;
  }

  /**
   * Sets the most bytes of keys and their state in this process.
   *
   * @param maxBytes 0 for a quarter of the maximum heap
   * @return a copy of these options
   */
  public ServerOptions withMaxBytes(long maxBytes) {
    if (maxBytes < 0) {
      throw new IllegalArgumentException("maxBytes must be 0 or more, was " + maxBytes);
    }
    return with(copy -> copy.maxBytes = maxBytes);
  }

  /**
   * Returns the secret that signs receipts, the same in all servers of a fleet.
   *
   * @return null for a random one, or with Redis for no receipts
   */
  public @Nullable String receiptSecret() {
    return receiptSecret;
  }

  /**
   * Sets the secret that signs receipts, the same in all servers of a fleet.
   *
   * @param receiptSecret null for a random one, or with Redis for no receipts
   * @return a copy of these options
   */
  public ServerOptions withReceiptSecret(@Nullable String receiptSecret) {
    return with(copy -> copy.receiptSecret = receiptSecret);
  }

  /**
   * Returns the bounds of what clients of all protocols use together.
   *
   * @return the bounds of what clients of all protocols use together
   */
  public NetworkBounds network() {
    return network;
  }

  /**
   * Sets the bounds of what clients of all protocols use together.
   *
   * @param network the bounds of what clients of all protocols use together
   * @return a copy of these options
   */
  public ServerOptions withNetwork(NetworkBounds network) {
    return with(copy -> copy.network = network);
  }

  /**
   * Returns the directory in which the counts of a server in memory survive a restart.
   *
   * @return null if they do not
   */
  public @Nullable Path stateDirectory() {
    return stateDirectory;
  }

  /**
   * Returns the time between two saves.
   *
   * @return what a process that is killed loses at most
   */
  public Duration stateInterval() {
    return stateInterval;
  }

  /**
   * Sets the directory in which the counts of a server in memory survive a restart.
   *
   * @param directory the directory of this server alone; null if counts do not survive
   * @param interval the time between two saves
   * @return a copy of these options
   */
  public ServerOptions withState(@Nullable Path directory, Duration interval) {
    return with(
        copy -> {
          copy.stateDirectory = directory;
          copy.stateInterval = interval;
        });
  }

  /**
   * Returns the time between announcing that the server is not ready and stopping.
   *
   * @return the time between announcing that the server is not ready and stopping
   */
  public Duration drainDelay() {
    return drainDelay;
  }

  /**
   * Sets the time between announcing that the server is not ready and stopping.
   *
   * @param drainDelay the time between announcing that the server is not ready and stopping
   * @return a copy of these options
   */
  public ServerOptions withDrainDelay(Duration drainDelay) {
    return with(copy -> copy.drainDelay = drainDelay);
  }

  /**
   * Returns whether there are statistics, and what they keep of keys.
   *
   * @return whether there are statistics, and what they keep of keys
   */
  public StatisticsOptions statistics() {
    return statistics;
  }

  /**
   * Sets whether there are statistics, and what they keep of keys.
   *
   * @param statistics whether there are statistics, and what they keep of keys
   * @return a copy of these options
   */
  public ServerOptions withStatistics(StatisticsOptions statistics) {
    return with(copy -> copy.statistics = statistics);
  }

  /**
   * Returns whether the state is kept outside of this process.
   *
   * @return false if there are no Redis URIs
   */
  public boolean isRemote() {
    return !redisUris.isEmpty();
  }

  /** Returns the options without secrets. */
  @Override
  public String toString() {
    return "ServerOptions[" + http + ", configuration=" + configuration + "]";
  }
}
