package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A master of a cluster that does not answer affects the keys in its own slots only. */
@Timeout(180)
@ExtendWith(ConnectedBefore.class)
class ClusterBreakersIT {
  private static final long PERMITS = 100_000;
  private static final Policy POLICY =
      Policy.of("api", Limit.slidingLog(PERMITS, Duration.ofHours(1)));

  @Test
  void keysOfHealthyMastersAreDecidedAtTheBordersOfTheSlots() {
    // Nobody takes over: the master stays silent for as long as the test wants.
    try (RedisCluster cluster =
            RedisCluster.start("cluster-require-full-coverage no", "cluster-node-timeout 60000");
        RedisStore store =
            RedisStore.builder()
                .uris(cluster.uris().stream().map(ClusterBreakersIT::clusterUri).toList())
                .denyCacheTtl(Duration.ZERO)
                .connect()) {
      RedisServer silent = cluster.masterOf(0);
      int border =
          IntStream.range(1, 16_384)
              .filter(slot -> !cluster.masterOf(slot).equals(silent))
              .findFirst()
              .orElseThrow();
      String before = keyIn(border - 1);
      String behind = keyIn(border);
      try (Callers callers = new Callers(store.limiter(POLICY), List.of(before, behind))) {
        callers.awaitAnswersForAllKeysFrom(Source.STORE);
        silent.pause();
        callers.awaitAnswerAbout(before, Source.LOCAL);
        Callers.pause(Duration.ofSeconds(5));
        silent.resume();
        callers.awaitAnswersForAllKeysFrom(Source.STORE);
        Callers.Report report = callers.stop();

        System.out.println("a silent master beside a border of slots: " + report);
        assertThat(report.answers(before, Source.LOCAL)).isPositive();
        // A few may come too late on a busy machine, as at any time.
        assertThat(20 * report.answers(behind, Source.LOCAL))
            .as("fallbacks of the key behind the border: %s", report)
            .isLessThan(report.answers(behind, Source.STORE));
      }
    }
  }

  private static String clusterUri(String uri) {
    return uri.replace("redis://", "redis-cluster://");
  }

  private static String keyIn(int slot) {
    KeyNames names = new KeyNames("sash");
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "key " + i)
        .filter(key -> RedisCluster.slotOf(names.tagged("api", key)) == slot)
        .findFirst()
        .orElseThrow();
  }
}
