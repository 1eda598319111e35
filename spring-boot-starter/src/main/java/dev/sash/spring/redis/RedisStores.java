package dev.sash.spring.redis;

import static dev.sash.spring.config.BadConfigurationException.check;

import dev.sash.redis.RedisStore;
import dev.sash.spring.config.SashProperties;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.springframework.util.unit.DataSize;

/** Makes the store that properties describe. */
public final class RedisStores {
  private static final String REDIS = "sash.redis.";
  private static final Pattern SPACES = Pattern.compile("\\s+");

  private RedisStores() {}

  /**
   * A store.
   *
   * @param properties what is configured
   * @param otherwise says where Redis is if no URI does
   * @return connected, or trying to
   */
  public static RedisStore connect(
      SashProperties properties, Consumer<RedisStore.Builder> otherwise) {
    SashProperties.Redis redis = properties.redis();
    RedisStore.Builder builder = RedisStore.builder().prefix(redis.prefix());
    check(REDIS + "nodes", () -> builder.nodes(redis.nodes()));
    check(REDIS + "deny-cache-ttl", () -> builder.denyCacheTtl(redis.denyCacheTtl()));
    DataSize maxBytes = properties.memory().maxBytes();
    if (maxBytes != null) {
      check("sash.memory.max-bytes", () -> builder.fallbackMaxBytes(maxBytes.toBytes()));
    }
    Duration connectTimeout = redis.connectTimeout();
    if (connectTimeout != null) {
      check(REDIS + "connect-timeout", () -> builder.connectTimeout(connectTimeout));
    }
    String uri = redis.uri() == null ? "" : redis.uri().strip();
    if (uri.isEmpty()) {
      otherwise.accept(builder);
    } else {
      builder.uris(List.of(SPACES.split(uri)));
    }
    Path certificates = redis.trustedCertificates();
    if (certificates != null) {
      check(REDIS + "trusted-certificates", () -> builder.trustedCertificates(certificates));
    }
    // What is left to be wrong.
    return check(REDIS + (uri.isEmpty() ? "prefix" : "uri"), builder::connect);
  }
}
