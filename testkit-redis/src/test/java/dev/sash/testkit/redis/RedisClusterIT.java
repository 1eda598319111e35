package dev.sash.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("dev.sash.testkit.redis.RedisBinary#all")
class RedisClusterIT {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final RedisBinary binary;

  RedisClusterIT(RedisBinary binary) {
    this.binary = binary;
  }

  @Test
  void everyKeyIsServedByTheMasterOfItsSlot() {
    List<RedisServer> nodes;
    try (RedisCluster cluster = RedisCluster.start(binary)) {
      nodes = cluster.nodes();
      assertThat(cluster.uris()).hasSize(6).doesNotHaveDuplicates();
      assertThat(cluster.masters()).containsExactlyInAnyOrderElementsOf(nodes.subList(0, 3));
      for (int i = 0; i < 100; i++) {
        String key = "key " + i + (i % 2 == 0 ? "{tag " + i % 7 + "}" : "");
        RedisServer master = cluster.masterOf(key);
        assertThat(master.command("CLUSTER", "KEYSLOT", key))
            .isEqualTo((long) RedisCluster.slotOf(key));
        assertThat(master.command("SET", key, "value")).isEqualTo("OK");
      }
      for (RedisServer replica : nodes.subList(3, 6)) {
        assertThat(replica.info("role")).isEqualTo("slave");
        assertThatIllegalArgumentException().isThrownBy(() -> cluster.failover(replica));
      }
    }
    assertThat(nodes).noneMatch(node -> ProcessHandle.of(node.pid()).isPresent());
  }

  @Test
  void keysStayReadableWhileTheirSlotMoves() {
    try (RedisCluster cluster = RedisCluster.start(binary, "requirepass secret")) {
      int slot = RedisCluster.slotOf("{tag}");
      RedisServer from = cluster.masterOf(slot);
      RedisServer to = cluster.masters().stream().filter(m -> m != from).findFirst().orElseThrow();
      for (int i = 0; i < 250; i++) {
        from.command("SET", "{tag}" + i, "value " + i);
      }

      SlotMigration migration = cluster.startMigration(slot, to);
      assertThat(from.command("GET", "{tag}7")).isEqualTo("value 7");
      assertRedirected(from, "ASK %d 127.0.0.1:%d".formatted(slot, to.port()), "{tag}none");
      migration.moveKeys();
      assertThat(cluster.masterOf(slot)).isEqualTo(from);
      assertRedirected(from, "ASK %d 127.0.0.1:%d".formatted(slot, to.port()), "{tag}7");
      migration.finish();

      assertThat(cluster.masterOf("{tag}7")).isEqualTo(to);
      for (int i = 0; i < 250; i++) {
        assertThat(to.command("GET", "{tag}" + i)).isEqualTo("value " + i);
      }
      for (RedisServer node : cluster.nodes()) {
        if (node != to) {
          assertRedirected(node, "MOVED %d 127.0.0.1:%d".formatted(slot, to.port()), "{tag}7");
        }
      }
      cluster.migrate(slot, from);
      assertThat(from.command("GET", "{tag}7")).isEqualTo("value 7");
    }
  }

  @Test
  void aReplicaTakesOverFromAKilledMasterWithItsData() {
    try (RedisCluster cluster = RedisCluster.start(binary)) {
      RedisServer old = cluster.masterOf("key");
      old.command("SET", "key", "value");
      assertThat(old.command("WAIT", "1", "5000")).isEqualTo(1L);

      RedisServer successor = cluster.failover(old);

      assertThat(successor).isEqualTo(cluster.masterOf("key")).isNotEqualTo(old);
      assertThat(cluster.nodes().subList(3, 6)).contains(successor);
      assertThat(successor.command("GET", "key")).isEqualTo("value");
      assertThat(cluster.masters()).hasSize(3).contains(successor);

      old.restart();
      Waiting.until(
          "the old master follows the new one",
          LONG,
          () -> old.info("role").equals("slave") ? "" : old.info("role"));
    }
  }

  @Test
  void aReplicaTakesOverFromAPausedMaster() {
    try (RedisCluster cluster = RedisCluster.start(binary)) {
      int slot = RedisCluster.slotOf("key");
      RedisServer old = cluster.masterOf(slot);
      old.pause();
      RedisServer successor = cluster.awaitSuccessorOf(old, slot);
      assertThat(successor.command("SET", "key", "value")).isEqualTo("OK");
    }
  }

  private static void assertRedirected(RedisServer node, String expected, String key) {
    assertThatExceptionOfType(RedisReplyException.class)
        .isThrownBy(() -> node.command("GET", key))
        .withMessage(expected);
  }
}
