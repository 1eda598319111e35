package dev.sash.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("dev.sash.testkit.redis.RedisBinary#all")
class RedisSentinelsIT {
  private final RedisBinary binary;

  RedisSentinelsIT(RedisBinary binary) {
    this.binary = binary;
  }

  @Test
  void aKilledMasterIsSucceededByAReplicaThatHasItsData() {
    List<RedisServer> all;
    try (RedisSentinels sentinels = RedisSentinels.start(binary, 1)) {
      all = Stream.concat(sentinels.servers().stream(), sentinels.sentinels().stream()).toList();
      RedisServer old = sentinels.master();
      assertThat(old).isEqualTo(sentinels.servers().get(0));
      old.command("SET", "key", "value");
      assertThat(old.command("WAIT", "1", "5000")).isEqualTo(1L);

      RedisServer successor = sentinels.failover();

      assertThat(old.isUp()).isFalse();
      assertThat(successor).isEqualTo(sentinels.servers().get(1)).isEqualTo(sentinels.master());
      assertThat(successor.command("GET", "key")).isEqualTo("value");
      assertThat(successor.command("SET", "key", "another")).isEqualTo("OK");
    }
    assertThat(all).hasSize(5).noneMatch(server -> ProcessHandle.of(server.pid()).isPresent());
  }

  @Test
  void aPausedMasterIsSucceededEvenBehindAPassword() {
    try (RedisSentinels sentinels = RedisSentinels.start(binary, 2, "requirepass secret")) {
      RedisServer old = sentinels.master();
      old.pause();
      RedisServer successor = sentinels.awaitSuccessorOf(old);
      assertThat(sentinels.servers()).hasSize(3).contains(successor);
      assertThat(successor).isNotEqualTo(old);
      assertThat(successor.info("role")).isEqualTo("master");
    }
  }

  @Test
  void theAddressNamesAllSentinelsAndTheMaster() {
    try (RedisSentinels sentinels = RedisSentinels.start(binary, 1)) {
      List<Integer> ports = sentinels.sentinels().stream().map(RedisServer::port).toList();
      assertThat(sentinels.uri())
          .isEqualTo(
              "redis-sentinel://127.0.0.1:%d,127.0.0.1:%d,127.0.0.1:%d#%s",
              ports.get(0), ports.get(1), ports.get(2), sentinels.masterName());
    }
  }

  @Test
  void withoutAReplicaNobodyCouldSucceed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisSentinels.start(binary, 0))
        .withMessageContaining("was 0");
  }
}
