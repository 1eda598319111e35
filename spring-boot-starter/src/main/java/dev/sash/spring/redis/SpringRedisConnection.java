package dev.sash.spring.redis;

import dev.sash.redis.RedisStore;
import dev.sash.spring.config.BadConfigurationException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;

/**
 * The Redis to which Spring connects: {@code spring.data.redis.*}, a service connection, or a
 * connection factory of the application. Only the addresses, credentials and keys are taken over.
 * The connection is another one, since Spring's sends commands again after a failure, which would
 * charge twice.
 */
public final class SpringRedisConnection {
  private final LettuceConnectionFactory factory;
  private final LettuceClientConfiguration client;

  private SpringRedisConnection(LettuceConnectionFactory factory) {
    this.factory = factory;
    this.client = factory.getClientConfiguration();
  }

  /**
   * Tells a store where Redis is.
   *
   * @param factory Spring's connection
   * @param builder makes the store
   * @throws BadConfigurationException if it is a kind of connection that cannot be shared
   */
  public static void configure(RedisConnectionFactory factory, RedisStore.Builder builder) {
    if (!(factory instanceof LettuceConnectionFactory lettuce)) {
      throw BadConfigurationException.property(
          "sash.redis.uri",
          "must be set, or sash.store=memory: Spring's connection is a "
              + factory.getClass().getSimpleName()
              + ", and only one of Lettuce can be shared");
    }
    new SpringRedisConnection(lettuce).configure(builder);
  }

  private void configure(RedisStore.Builder builder) {
    RedisClusterConfiguration cluster = factory.getClusterConfiguration();
    RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
    RedisSocketConfiguration socket = factory.getSocketConfiguration();
    if (cluster != null) {
      builder.cluster(nodes(cluster));
    } else if (sentinel != null) {
      builder.server(sentinel(sentinel));
    } else if (socket != null) {
      RedisURI.Builder uri =
          RedisURI.Builder.socket(socket.getSocket()).withDatabase(factory.getDatabase());
      authenticate(uri, socket.getUsername(), socket.getPassword());
      builder.server(withCredentials(uri.build(), socket));
    } else {
      builder.server(standalone());
    }
    SslOptions tls = client.getClientOptions().map(options -> options.getSslOptions()).orElse(null);
    if (tls != null) {
      builder.tls(tls);
    }
  }

  private RedisURI standalone() {
    RedisStandaloneConfiguration standalone = factory.getStandaloneConfiguration();
    RedisURI.Builder uri =
        RedisURI.Builder.redis(factory.getHostName(), factory.getPort())
            .withDatabase(factory.getDatabase());
    authenticate(uri, standalone.getUsername(), RedisPassword.of(factory.getPassword()));
    return withCredentials(secured(uri.build()), standalone);
  }

  private List<RedisURI> nodes(RedisClusterConfiguration cluster) {
    return cluster.getClusterNodes().stream()
        .map(
            node -> {
              RedisURI.Builder uri =
                  RedisURI.Builder.redis(node.getRequiredHost(), node.getRequiredPort());
              authenticate(uri, cluster.getUsername(), cluster.getPassword());
              return withCredentials(secured(uri.build()), cluster);
            })
        .toList();
  }

  private RedisURI sentinel(RedisSentinelConfiguration sentinel) {
    RedisURI uri = LettuceConverters.sentinelConfigurationToRedisURI(sentinel);
    uri.setDatabase(sentinel.getDatabase());
    uri.getSentinels().forEach(this::secured);
    client
        .getRedisCredentialsProviderFactory()
        .ifPresent(
            credentials -> {
              var ofSentinels = credentials.createSentinelCredentialsProvider(sentinel);
              uri.getSentinels().forEach(node -> node.setCredentialsProvider(ofSentinels));
            });
    return withCredentials(secured(uri), sentinel);
  }

  private RedisURI secured(RedisURI uri) {
    uri.setSsl(client.isUseSsl());
    uri.setVerifyPeer(client.getVerifyMode());
    uri.setStartTls(client.isStartTls());
    return uri;
  }

  private RedisURI withCredentials(RedisURI uri, RedisConfiguration configuration) {
    client
        .getRedisCredentialsProviderFactory()
        .map(credentials -> credentials.createCredentialsProvider(configuration))
        .ifPresent(uri::setCredentialsProvider);
    return uri;
  }

  private static void authenticate(
      RedisURI.Builder uri, @Nullable String username, RedisPassword password) {
    if (!password.isPresent()) {
      return;
    }
    if (username == null || username.isEmpty()) {
      uri.withPassword(password.get());
    } else {
      uri.withAuthentication(username, password.get());
    }
  }
}
