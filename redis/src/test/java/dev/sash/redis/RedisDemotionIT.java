package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.testkit.redis.RedisSentinels;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The master is replaced, and the old one goes on answering, with errors, on the connection that
 * the store has: the store asks Sentinel again.
 */
@Timeout(180)
@ExtendWith(ConnectedBefore.class)
class RedisDemotionIT {
  private static final long PERMITS = 2_000;
  private static final List<String> KEYS = List.of("a", "b", "c");
  private static final Policy POLICY =
      Policy.of("api", Limit.slidingLog(PERMITS, Duration.ofHours(1)));

  @Test
  void leavesAMasterThatWasDemoted() {
    try (RedisSentinels sentinels = RedisSentinels.start();
        RedisStore store = store(sentinels);
        Callers callers = new Callers(store.limiter(POLICY), KEYS)) {
      callers.awaitAnswersForAllKeysFrom(Source.STORE);
      RedisServer old = sentinels.master();
      sentinels.sentinels().get(0).command("SENTINEL", "FAILOVER", sentinels.masterName());
      RedisServer promoted = sentinels.awaitSuccessorOf(old);
      Duration recovery = callers.awaitAnswersForAllKeysFrom(Source.STORE);

      report("READONLY after a demotion", recovery, callers.stop(), promoted);
      assertThat(old.isUp()).isTrue();
    }
  }

  /** Sentinel monitors the replica, while the old master has lost all its replicas. */
  @Test
  void leavesAMasterWithTooFewReplicas() {
    try (RedisSentinels sentinels = RedisSentinels.start();
        RedisStore store = store(sentinels);
        Callers callers = new Callers(store.limiter(POLICY), KEYS)) {
      callers.awaitAnswersForAllKeysFrom(Source.STORE);
      RedisServer old = sentinels.master();
      RedisServer promoted =
          sentinels.servers().stream().filter(s -> !s.equals(old)).findFirst().orElseThrow();
      for (RedisServer sentinel : sentinels.sentinels()) {
        sentinel.command("SENTINEL", "REMOVE", sentinels.masterName());
      }
      sentinels.servers().stream()
          .filter(server -> !server.equals(old))
          .forEach(server -> server.command("REPLICAOF", "NO", "ONE"));
      old.command("CONFIG", "SET", "min-replicas-to-write", "1");
      callers.awaitAnswersForAllKeysFrom(Source.LOCAL);
      for (RedisServer sentinel : sentinels.sentinels()) {
        sentinel.command(
            "SENTINEL",
            "MONITOR",
            sentinels.masterName(),
            promoted.host(),
            Integer.toString(promoted.port()),
            "2");
      }
      Duration recovery = callers.awaitAnswersForAllKeysFrom(Source.STORE);

      report("NOREPLICAS of a lonely master", recovery, callers.stop(), promoted);
    }
  }

  private static void report(
      String name, Duration recovery, Callers.Report report, RedisServer promoted) {
    System.out.printf(
        "%s: Redis decides again %d ms later; %s%n", name, recovery.toMillis(), report);
    assertThat(report.mostAdmitted(Source.STORE)).isLessThanOrEqualTo(2 * PERMITS);
    assertThat(promoted.command("DBSIZE")).isNotEqualTo(0L);
  }

  private static RedisStore store(RedisSentinels sentinels) {
    return RedisStore.builder().uri(sentinels.uri()).denyCacheTtl(Duration.ZERO).connect();
  }
}
