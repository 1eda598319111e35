package dev.sash.server;

import dev.sash.server.access.RedisLogin;
import dev.sash.server.http.HttpOptions;
import dev.sash.server.net.NetworkBounds;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.rls.GrpcOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a server is to be. Immutable.
 *
 * @param http where and how HTTP is spoken
 * @param grpc where and how Envoy's protocol is spoken; null if it is not
 * @param resp where and how RESP is spoken; null if it is not
 * @param configuration the file or directory of the configuration; null for the default
 * @param redisUris where the state is kept; empty for this process
 * @param redisLogin the user and password of Redis; null for those in the URIs
 * @param nodes the number of servers that share the limits while Redis is unavailable
 * @param maxBytes the most bytes of keys and their state in this process; 0 for a quarter of the
 *     maximum heap
 * @param network bounds of what clients of all protocols use together
 * @param drainDelay how long the server goes on as before once it has said that it is not ready
 */
public record ServerOptions(
    HttpOptions http,
    @Nullable GrpcOptions grpc,
    @Nullable RespOptions resp,
    @Nullable Path configuration,
    List<String> redisUris,
    @Nullable RedisLogin redisLogin,
    int nodes,
    long maxBytes,
    NetworkBounds network,
    Duration drainDelay) {

  /** Copies the URIs. */
  public ServerOptions {
    redisUris = List.copyOf(redisUris);
  }

  /**
   * The defaults: the default configuration, in memory, without gRPC and RESP.
   *
   * @param http where and how HTTP is spoken
   * @return the options
   */
  public static ServerOptions of(HttpOptions http) {
    return new ServerOptions(
        http, null, null, null, List.of(), null, 1, 0, NetworkBounds.defaults(), Duration.ZERO);
  }

  /**
   * These options with a configuration from files.
   *
   * @param path a file or a directory; null for the default
   * @return the options
   */
  public ServerOptions withConfiguration(@Nullable Path path) {
    return new ServerOptions(
        http, grpc, resp, path, redisUris, redisLogin, nodes, maxBytes, network, drainDelay);
  }

  /**
   * These options with the state in Redis.
   *
   * @param uris as {@link dev.sash.redis.RedisStore} reads them; none for this process
   * @return the options
   */
  public ServerOptions withRedis(List<String> uris) {
    return new ServerOptions(
        http, grpc, resp, configuration, uris, redisLogin, nodes, maxBytes, network, drainDelay);
  }

  /**
   * Returns these options with Envoy's protocol over gRPC.
   *
   * @param options where and how; null if it is not spoken
   * @return the options
   */
  public ServerOptions withGrpc(@Nullable GrpcOptions options) {
    return new ServerOptions(
        http,
        options,
        resp,
        configuration,
        redisUris,
        redisLogin,
        nodes,
        maxBytes,
        network,
        drainDelay);
  }

  /**
   * Returns these options with a user and password of Redis instead of those in the URIs.
   *
   * @param login the login; null for that of the URIs
   * @return the options
   */
  public ServerOptions withRedisLogin(@Nullable RedisLogin login) {
    return new ServerOptions(
        http, grpc, resp, configuration, redisUris, login, nodes, maxBytes, network, drainDelay);
  }

  /**
   * These options with RESP.
   *
   * @param options where and how; null if it is not spoken
   * @return the options
   */
  public ServerOptions withResp(@Nullable RespOptions options) {
    return new ServerOptions(
        http,
        grpc,
        options,
        configuration,
        redisUris,
        redisLogin,
        nodes,
        maxBytes,
        network,
        drainDelay);
  }

  /**
   * These options for one of many servers.
   *
   * @param nodes the number of servers that share the limits while Redis is unavailable
   * @return the options
   */
  public ServerOptions withNodes(int nodes) {
    return new ServerOptions(
        http,
        grpc,
        resp,
        configuration,
        redisUris,
        redisLogin,
        nodes,
        maxBytes,
        network,
        drainDelay);
  }

  /**
   * Returns these options with a bound of the memory for keys and their state in this process.
   *
   * @param bytes 1 or more; 0 for a quarter of the maximum heap
   * @return the options
   */
  public ServerOptions withMaxBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("maxBytes must be 0 or more, was " + bytes);
    }
    return new ServerOptions(
        http, grpc, resp, configuration, redisUris, redisLogin, nodes, bytes, network, drainDelay);
  }

  /**
   * Returns these options with other bounds of what clients of all protocols use together.
   *
   * @param bounds the bounds
   * @return the options
   */
  public ServerOptions withNetwork(NetworkBounds bounds) {
    return new ServerOptions(
        http,
        grpc,
        resp,
        configuration,
        redisUris,
        redisLogin,
        nodes,
        maxBytes,
        bounds,
        drainDelay);
  }

  /**
   * Returns whether the state is kept outside of this process.
   *
   * @return false if there are no Redis URIs
   */
  public boolean isRemote() {
    return !redisUris.isEmpty();
  }

  /**
   * These options with a time in which load balancers can notice that the server is about to stop.
   *
   * @param delay zero to stop at once
   * @return the options
   */
  public ServerOptions withDrainDelay(Duration delay) {
    return new ServerOptions(
        http, grpc, resp, configuration, redisUris, redisLogin, nodes, maxBytes, network, delay);
  }
}
