package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.RedisBinary;
import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisSentinels;
import dev.sash.testkit.redis.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every way to reach Redis that the documentation names. */
@Timeout(120)
class RedisTopologyIT {
  private static final Policy POLICY =
      Policy.of(
              "api",
              Limit.slidingLog(10, Duration.ofMinutes(1)),
              Limit.slidingCounter(1_000, Duration.ofHours(1)))
          .withDeadline(Duration.ofSeconds(10));

  @Test
  void withAPassword() {
    try (RedisServer server = RedisServer.start("requirepass open:sesame")) {
      assertDecides("redis://:open%3Asesame@" + address(server));
      assertDoesNotDecide("redis://:wrong@" + address(server));
      assertDoesNotDecide("redis://" + address(server));
    }
  }

  @Test
  void withAUserWhoMayOnlyDoWhatIsNeeded() {
    try (RedisServer server =
        RedisServer.start(
            "user default off",
            "user limiter on >secret ~sash:* -@all +evalsha +eval +time +get +set +hget +hset +hdel"
                + " +pexpireat +pttl +unlink +scan +hello +ping"
                + " +client")) {
      assertDecides("redis://limiter:secret@" + address(server));
      assertDoesNotDecide("redis://limiter:wrong@" + address(server));
    }
  }

  @Test
  void inAnotherDatabase() {
    try (RedisServer server = RedisServer.start()) {
      assertDecides("redis://" + address(server) + "/3");

      assertThat(server.command("DBSIZE")).isEqualTo(0L);
    }
  }

  @Test
  void withTls() {
    assumeTrue(RedisBinary.chosen().tls(), () -> RedisBinary.chosen() + " has no TLS");
    try (RedisServer server = RedisServer.builder().tls().start()) {
      String uri = "rediss://127.0.0.1:" + server.tlsPort();
      RedisStore.Builder trusting =
          RedisStore.builder().uri(uri).trustedCertificates(server.certificate().certificate());
      try (RedisStore store = trusting.connect()) {
        assertDecides(store);
      }
      assertDoesNotDecide(uri); // nobody vouches for it
    }
  }

  @Test
  void theMasterThatSentinelNames() {
    try (RedisSentinels sentinels = RedisSentinels.start()) {
      assertDecides(sentinels.uri());

      assertThat(sentinels.master().command("DBSIZE")).isNotEqualTo(0L);
    }
  }

  @Test
  void aCluster() {
    try (RedisCluster cluster = RedisCluster.start()) {
      List<String> uris =
          cluster.uris().stream().map(uri -> uri.replace("redis://", "redis-cluster://")).toList();
      assertDecides(uris.get(4)); // found through a replica

      try (RedisStore store = RedisStore.builder().uris(uris).connect()) {
        RateLimiter limiter = store.limiter(POLICY);
        List<String> keys = IntStream.range(0, 100).mapToObj(i -> "user:" + i).toList();
        for (String key : keys) {
          assertThat(limiter.tryAcquire(key, 10).source()).isEqualTo(Source.STORE);
          assertThat(limiter.tryAcquire(key).allowed()).isFalse();
        }

        assertThat(store.keys("api", 1_000)).containsAll(keys);
        for (RedisServer master : cluster.masters()) {
          assertThat((Long) master.command("DBSIZE")).as("%s", master).isBetween(20L, 150L);
        }
      }
    }
  }

  @Test
  void inTheWordsOfLettuce() {
    try (RedisServer server = RedisServer.start("requirepass se/cr:et")) {
      RedisURI uri =
          RedisURI.builder()
              .withHost(server.host())
              .withPort(server.port())
              .withPassword("se/cr:et".toCharArray())
              .build();
      try (RedisStore store = RedisStore.builder().server(uri).connect()) {
        assertDecides(store);
      }
      assertThatThrownBy(() -> RedisStore.builder().server(uri).server(uri).connect())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "a store must have one server, one cluster or uris, had 2 servers and 0 uris");
    }
    try (RedisCluster cluster = RedisCluster.start()) {
      List<RedisURI> nodes = cluster.uris().stream().map(RedisURI::create).toList();
      try (RedisStore store = RedisStore.builder().cluster(nodes).connect()) {
        RateLimiter limiter = store.limiter(POLICY);
        for (int i = 0; i < 100; i++) {
          assertThat(limiter.tryAcquire("user:" + i).source()).isEqualTo(Source.STORE);
        }
      }
    }
  }

  private static String address(RedisServer server) {
    return server.host() + ":" + server.port();
  }

  private static void assertDecides(String uri) {
    try (RedisStore store = RedisStore.connect(uri)) {
      assertDecides(store);
    }
  }

  private static void assertDecides(RedisStore store) {
    RateLimiter limiter = store.limiter(POLICY);
    Decision decision = limiter.tryAcquire("k", 4);

    assertThat(decision.source()).isEqualTo(Source.STORE);
    assertThat(decision.remaining()).isEqualTo(6);
    assertThat(limiter.refund("k", 1).remaining()).isEqualTo(7);
    assertThat(limiter.inspect("k").usages().get(1).used()).isEqualTo(3);
    assertThat(store.keys("api", 10)).containsExactly("k");
    assertThat(limiter.tryAcquire("k", 8).allowed()).isFalse();
    limiter.reset("k");
    assertThat(limiter.peek("k").used()).isZero();
    assertThat(limiter.tryAcquire("left behind").source()).isEqualTo(Source.STORE);
    assertThat(store.fallbacks()).isZero();
    assertThat(store.isUp()).isTrue();
  }

  private static void assertDoesNotDecide(String uri) {
    try (RedisStore store = RedisStore.connect(uri)) {
      assertThat(store.limiter(POLICY).tryAcquire("k").source()).isEqualTo(Source.LOCAL);
      assertThat(store.isUp()).isFalse();
    }
  }
}
