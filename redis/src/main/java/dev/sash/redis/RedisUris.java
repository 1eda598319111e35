package dev.sash.redis;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;

/** Reads the URIs of {@link RedisStore}: those of Lettuce, and {@code redis-cluster}. */
final class RedisUris {
  private static final String FORMS =
      "redis://, rediss://, redis-sentinel://, rediss-sentinel://, redis-cluster:// or"
          + " rediss-cluster://";

  private RedisUris() {}

  static boolean isCluster(List<String> uris) {
    return uris.stream().anyMatch(RedisUris::isCluster);
  }

  /**
   * What Lettuce makes of them. A password that is wrongly written must not end in a message.
   *
   * @param timeout how long a server may take for the handshake of a connection
   */
  static List<RedisURI> parse(List<String> uris, Duration timeout) {
    if (uris.isEmpty()) {
      throw new IllegalArgumentException("a store must have a uri: " + FORMS);
    }
    boolean cluster = isCluster(uris);
    if (uris.size() > 1 && !uris.stream().allMatch(RedisUris::isCluster)) {
      throw new IllegalArgumentException(
          "several uris must all be redis-cluster:// or rediss-cluster://, of which there are "
              + uris.stream().filter(RedisUris::isCluster).count()
              + " among "
              + uris.size());
    }
    return within(
        uris.stream().map(uri -> parse(cluster ? withoutCluster(uri) : uri)).toList(), timeout);
  }

  /** Those servers, which may take that long for the handshake of a connection. */
  static List<RedisURI> within(List<RedisURI> servers, Duration timeout) {
    servers.forEach(uri -> uri.setTimeout(timeout));
    servers.forEach(uri -> uri.getSentinels().forEach(sentinel -> sentinel.setTimeout(timeout)));
    return List.copyOf(servers);
  }

  private static RedisURI parse(String uri) {
    try {
      return RedisURI.create(uri);
    } catch (IllegalArgumentException e) {
      int scheme = uri.indexOf("://");
      throw new IllegalArgumentException(
          "uri must be "
              + FORMS
              + " and a host, was "
              + (scheme < 0 ? "without ://" : uri.substring(0, scheme) + "://..."));
    }
  }

  private static boolean isCluster(String uri) {
    return uri.startsWith("redis-cluster://") || uri.startsWith("rediss-cluster://");
  }

  private static String withoutCluster(String uri) {
    return uri.replaceFirst("-cluster://", "://");
  }
}
