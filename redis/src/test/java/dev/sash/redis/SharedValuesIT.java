package dev.sash.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.store.StoreException;
import dev.sash.testkit.redis.FaultProxy;
import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Values beside the state of keys, which processes share. */
@Timeout(120)
@ExtendWith(ConnectedBefore.class)
class SharedValuesIT {
  private static final Duration TTL = Duration.ofMinutes(1);

  private static Optional<String> text(CompletionStage<Optional<byte[]>> value) {
    return value.toCompletableFuture().join().map(bytes -> new String(bytes, UTF_8));
  }

  private static Optional<String> replace(RedisStore store, String name, String value) {
    return text(store.replaceShared(name, value.getBytes(UTF_8), TTL));
  }

  @Test
  void storesOfOnePrefixShareThem() {
    try (RedisServer server = RedisServer.start();
        RedisStore one = RedisStore.connect(server.uri());
        RedisStore two = RedisStore.connect(server.uri());
        RedisStore other = RedisStore.builder().uri(server.uri()).prefix("other").connect()) {
      assertThat(text(one.shared("a"))).isEmpty();
      assertThat(replace(one, "a", "1")).isEmpty();
      assertThat(replace(two, "a", "2")).contains("1");
      assertThat(text(one.shared("a"))).contains("2");
      assertThat(text(one.shared("b"))).isEmpty();
      assertThat(text(other.shared("a"))).isEmpty();
      assertThat((Long) server.command("PTTL", "sash:v2:shared:a")).isBetween(1L, 60_000L);
    }
  }

  @Test
  void withTheRightsOfAUserWhoMayOnlyDecide() {
    try (RedisServer server =
            RedisServer.start(
                "user default off",
                "user limiter on >secret ~sash:* -@all +evalsha +eval +time +get +set +hget +hset"
                    + " +hdel +pexpireat +pttl +unlink +scan +hello +ping +client");
        RedisStore store =
            RedisStore.connect(server.uri().replace("redis://", "redis://limiter:secret@"))) {
      assertThat(replace(store, "a", "1")).isEmpty();
      assertThat(text(store.shared("a"))).contains("1");
    }
  }

  @Test
  void onAClusterToo() {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store =
            RedisStore.connect(cluster.uris().get(0).replace("redis://", "redis-cluster://"))) {
      for (int i = 0; i < 20; i++) {
        assertThat(replace(store, "n" + i, "v" + i)).isEmpty();
        assertThat(text(store.shared("n" + i))).contains("v" + i);
      }
    }
  }

  @Test
  void failWhileRedisIsAway() {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(server);
        RedisStore store = RedisStore.connect(proxy.uri())) {
      proxy.refuse();
      assertThatThrownBy(() -> replace(store, "a", "1")).hasCauseInstanceOf(StoreException.class);
      assertThatThrownBy(() -> text(store.shared("a"))).hasCauseInstanceOf(StoreException.class);
    }
  }

  @Test
  void namesAndSizesHaveBounds() {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.connect(server.uri())) {
      for (String bad : new String[] {"", "a{b}", "a:b", "x".repeat(65)}) {
        assertThatThrownBy(() -> store.shared(bad))
            .hasMessage("name must be 1 to 64 of A-Z a-z 0-9 . _ -, was '" + bad + "'");
      }
      assertThatThrownBy(() -> store.replaceShared("a", new byte[(1 << 20) + 1], TTL))
          .hasMessageContaining("bytes of value must be between 0 and 1048576, was 1048577");
      assertThatThrownBy(() -> store.replaceShared("a", new byte[1], Duration.ofHours(1)))
          .hasMessageContaining("ttl must be");
    }
  }
}
