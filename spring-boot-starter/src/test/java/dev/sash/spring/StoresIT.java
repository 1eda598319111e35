package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.LimiterRegistry;
import dev.sash.redis.RedisStore;
import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashRedisAutoConfiguration;
import dev.sash.testkit.redis.RedisBinary;
import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisSentinels;
import dev.sash.testkit.redis.RedisServer;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/** Where limits are kept: on real servers, as a property or Spring's own connection names them. */
@Timeout(120)
class StoresIT {
  private final ApplicationContextRunner sash =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(SashAutoConfiguration.class, SashRedisAutoConfiguration.class))
          .withPropertyValues("sash.policies.api.limits=5/1m");
  private final ApplicationContextRunner withSpringsRedis =
      sash.withConfiguration(
          AutoConfigurations.of(DataRedisAutoConfiguration.class, SslAutoConfiguration.class));

  private static Decision ask(BeanFactory context) {
    return context.getBean(LimiterRegistry.class).get("api").tryAcquire("k");
  }

  private static void assertDecides(ApplicationContextRunner runner, String... properties) {
    runner
        .withPropertyValues(properties)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(ask(context).source()).isEqualTo(Source.STORE);
              assertThat(context.getBean(RedisStore.class).isUp()).isTrue();
            });
  }

  @Test
  void inMemoryIfThereIsNoRedis() {
    sash.run(
        context -> {
          assertThat(context).doesNotHaveBean(RedisStore.class);
          assertThat(ask(context).source()).isEqualTo(Source.STORE);
        });
    sash.withPropertyValues("sash.redis.uri=")
        .run(context -> assertThat(context).doesNotHaveBean(RedisStore.class));
  }

  @Test
  void inTheRedisThatThePropertyNamesAndUnderItsPrefix() {
    try (RedisServer server = RedisServer.start("requirepass s3cret")) {
      assertDecides(
          sash,
          "sash.redis.uri=redis://:s3cret@" + server.host() + ":" + server.port(),
          "sash.redis.prefix=shop");
      sash.withPropertyValues(
              "sash.redis.uri=redis://:s3cret@" + server.host() + ":" + server.port(),
              "sash.redis.prefix=shop")
          .run(
              context ->
                  assertThat(context.getBean(RedisStore.class).keys("api", 10))
                      .containsExactly("k"));
    }
  }

  @Test
  void aPropertyOfOursComesBeforeSpringsConnection() {
    try (RedisServer server = RedisServer.start()) {
      assertDecides(withSpringsRedis, "sash.redis.uri=" + server.uri(), "spring.data.redis.port=1");
    }
  }

  @Test
  void inMemoryIfThatIsSaidWhateverThereIs() {
    withSpringsRedis
        .withPropertyValues("sash.store=memory", "sash.redis.uri=redis://nowhere")
        .run(context -> assertThat(context).doesNotHaveBean(RedisStore.class));
  }

  @Test
  void whereSpringConnectsToWithUserPasswordAndDatabase() {
    try (RedisServer server =
        RedisServer.start("user default off", "user limiter on >p@ss:w/rd ~* +@all")) {
      assertDecides(
          withSpringsRedis,
          "spring.data.redis.host=" + server.host(),
          "spring.data.redis.port=" + server.port(),
          "spring.data.redis.username=limiter",
          "spring.data.redis.password=p@ss:w/rd",
          "spring.data.redis.database=3");
      assertDecides(
          withSpringsRedis,
          "spring.data.redis.url=redis://limiter:p%40ss%3Aw%2Frd@"
              + server.host()
              + ":"
              + server.port());
    }
  }

  @Test
  void whereSpringConnectsToWithTls() {
    assumeTrue(RedisBinary.chosen().tls(), () -> RedisBinary.chosen() + " has no TLS");
    try (RedisServer server = RedisServer.builder().tls().start()) {
      String pem = "file:" + server.certificate().certificate();
      String[] bundle = {
        "spring.ssl.bundle.pem.redis.truststore.certificate=" + pem,
        "spring.data.redis.ssl.bundle=redis"
      };
      assertDecides(
          withSpringsRedis.withPropertyValues(bundle),
          "spring.data.redis.host=127.0.0.1",
          "spring.data.redis.port=" + server.tlsPort());
      assertDecides(
          withSpringsRedis.withPropertyValues(bundle),
          "spring.data.redis.url=rediss://127.0.0.1:" + server.tlsPort());
      assertDecides(
          sash,
          "sash.redis.uri=rediss://127.0.0.1:" + server.tlsPort(),
          "sash.redis.trusted-certificates=" + server.certificate().certificate());
    }
  }

  @Test
  void theMasterThatSpringsSentinelsName() {
    try (RedisSentinels sentinels = RedisSentinels.start()) {
      assertDecides(
          withSpringsRedis,
          "spring.data.redis.sentinel.master=" + sentinels.masterName(),
          "spring.data.redis.sentinel.nodes=" + nodes(sentinels.sentinels()));
      assertDecides(sash, "sash.redis.uri=" + sentinels.uri());
    }
  }

  @Test
  void springsCluster() {
    try (RedisCluster cluster = RedisCluster.start()) {
      assertDecides(withSpringsRedis, "spring.data.redis.cluster.nodes=" + nodes(cluster.nodes()));
      assertDecides(
          sash,
          "sash.redis.uri="
              + cluster.uris().stream()
                  .map(uri -> uri.replace("redis://", "redis-cluster://"))
                  .collect(Collectors.joining(" ")));
    }
  }

  private static String nodes(List<RedisServer> servers) {
    return servers.stream()
        .map(server -> server.host() + ":" + server.port())
        .collect(Collectors.joining(","));
  }

  @Test
  void aConnectionThatCannotBeSharedIsNotSilentlyIgnored() {
    withSpringsRedis
        .withPropertyValues("spring.data.redis.masterreplica.nodes=a:1,b:2")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageStartingWith("sash.redis.uri: must be set to the master"));
    sash.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withBean(RedisConnectionFactory.class, OtherConnections::new)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("Spring's connection is a OtherConnections"));
  }

  /** Of another client than Lettuce. */
  private static final class OtherConnections implements RedisConnectionFactory {
    @Override
    public RedisConnection getConnection() {
      throw new UnsupportedOperationException();
    }

    @Override
    public RedisClusterConnection getClusterConnection() {
      throw new UnsupportedOperationException();
    }

    @Override
    public RedisSentinelConnection getSentinelConnection() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean getConvertPipelineAndTxResults() {
      return false;
    }

    @Override
    public org.springframework.dao.DataAccessException translateExceptionIfPossible(
        RuntimeException e) {
      return null;
    }
  }
}
