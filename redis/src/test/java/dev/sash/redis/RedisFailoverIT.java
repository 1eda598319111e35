package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisSentinels;
import dev.sash.testkit.redis.RedisServer;
import dev.sash.testkit.redis.SlotMigration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A master goes and a replica takes over, or a slot moves, while callers go on asking. */
@Timeout(180)
@ExtendWith(ConnectedBefore.class)
class RedisFailoverIT {
  private static final long PERMITS = 2_000;
  private static final Duration DEADLINE = Duration.ofMillis(50);

  private static final List<String> KEYS = List.of("a", "b", "c", "d", "e", "f");

  private static final Policy POLICY =
      Policy.of("api", Limit.slidingLog(PERMITS, Duration.ofHours(1))).withDeadline(DEADLINE);

  @Test
  void aReplicaPromotedBySentinel() {
    try (RedisSentinels sentinels = RedisSentinels.start();
        RedisStore store = store(List.of(sentinels.uri()));
        Callers callers = new Callers(store.limiter(POLICY), KEYS)) {
      callers.awaitAnswersForAllKeysFrom(Source.STORE);
      RedisServer old = sentinels.master();
      long killed = System.nanoTime();
      old.kill();
      callers.awaitAnswersForAllKeysFrom(Source.LOCAL);
      sentinels.awaitSuccessorOf(old);
      Duration promotion = Duration.ofNanos(System.nanoTime() - killed);
      Duration recovery = callers.awaitAnswersForAllKeysFrom(Source.STORE);

      assertCalm("a replica promoted by Sentinel", promotion, recovery, callers.stop(), 2);
    }
  }

  @Test
  void aReplicaPromotedInACluster() {
    try (RedisCluster cluster = RedisCluster.start("cluster-require-full-coverage no");
        RedisStore store = store(uris(cluster));
        Callers callers = new Callers(store.limiter(POLICY), KEYS)) {
      callers.awaitAnswersForAllKeysFrom(Source.STORE);
      int slot = RedisCluster.slotOf(name("a"));
      RedisServer old = cluster.masterOf(slot);
      Map<String, RedisServer> mastersBefore =
          KEYS.stream().collect(Collectors.toMap(key -> key, key -> cluster.masterOf(name(key))));
      assertThat(Set.copyOf(mastersBefore.values())).as("some are elsewhere").hasSizeGreaterThan(1);
      long killed = System.nanoTime();
      old.kill();
      callers.awaitAnswerAbout("a", Source.LOCAL);
      cluster.awaitSuccessorOf(old, slot);
      Duration promotion = Duration.ofNanos(System.nanoTime() - killed);
      Duration recovery = callers.awaitAnswersForAllKeysFrom(Source.STORE);

      Callers.Report report = callers.stop();
      assertCalm("a replica promoted in a cluster", promotion, recovery, report, 2);
      for (String key : KEYS) {
        if (!mastersBefore.get(key).equals(old)) {
          // A few may come too late while everything is new, as at any time.
          assertThat(10 * report.answers(key, Source.LOCAL))
              .as("fallbacks of '%s', whose master went on", key)
              .isLessThan(report.answers(key, Source.STORE));
        }
      }
    }
  }

  @Test
  void aSlotThatMoves() {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store = store(uris(cluster));
        Callers callers = new Callers(store.limiter(POLICY), KEYS)) {
      callers.awaitAnswersForAllKeysFrom(Source.STORE);
      int slot = RedisCluster.slotOf(name("a"));
      RedisServer from = cluster.masterOf(slot);
      RedisServer to =
          cluster.masters().stream()
              .filter(master -> !master.equals(from))
              .findFirst()
              .orElseThrow();
      SlotMigration migration = cluster.startMigration(slot, to);
      callers.awaitAnswerAbout("a", Source.STORE);
      migration.moveKeys();
      callers.awaitAnswerAbout("a", Source.STORE);
      migration.finish();
      Duration recovery = callers.awaitAnswersForAllKeysFrom(Source.STORE);

      Callers.Report report = callers.stop();
      assertCalm("a slot that moves", Duration.ZERO, recovery, report, 1);
      assertThat(store.limiter(POLICY).inspect("a").usages().get(0).used())
          .isGreaterThanOrEqualTo(report.admitted("a", Source.STORE));
    }
  }

  private static void assertCalm(
      String name, Duration promotion, Duration recovery, Callers.Report report, int lives) {
    System.out.printf(
        "%s (after %d ms): Redis decides again %d ms later; %s%n",
        name, promotion.toMillis(), recovery.toMillis(), report);
    report.assertNobodyWaitedBeyond(DEADLINE);
    assertThat(report.mostAdmitted(Source.STORE)).isLessThanOrEqualTo(lives * PERMITS);
    assertThat(report.mostAdmitted(Source.LOCAL)).isLessThanOrEqualTo(PERMITS);
  }

  private static RedisStore store(List<String> uris) {
    return RedisStore.builder().uris(uris).denyCacheTtl(Duration.ZERO).connect();
  }

  private static List<String> uris(RedisCluster cluster) {
    return cluster.uris().stream().map(uri -> uri.replace("redis://", "redis-cluster://")).toList();
  }

  private static String name(String key) {
    return new KeyNames("sash").of("api", key, POLICY.limits())[0];
  }
}
