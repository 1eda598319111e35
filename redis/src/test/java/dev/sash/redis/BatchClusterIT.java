package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisServer;
import dev.sash.testkit.redis.SlotMigration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Calls with several keys of slots that move from one master to another, or whose master is
 * replaced: Redis decides about every request, and charges it once.
 */
@Timeout(180)
class BatchClusterIT {
  private static final int EACH = 5;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Policy POLICY =
      Policy.of("api", Limit.slidingLog(1_000_000, Duration.ofHours(1)))
          .withDeadline(Duration.ofSeconds(40));

  private static RedisCluster cluster;
  private static RedisStore store;
  private static Map<Integer, List<String>> keysOfSlot;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start();
    store = store(cluster);
    KeyNames names = new KeyNames("sash");
    keysOfSlot =
        IntStream.range(0, 200_000)
            .mapToObj(i -> "key " + i)
            .collect(Collectors.groupingBy(key -> RedisCluster.slotOf(names.tagged("api", key))));
  }

  private static RedisStore store(RedisCluster of) {
    return RedisStore.builder()
        .uris(of.uris().stream().map(uri -> uri.replace("redis://", "redis-cluster://")).toList())
        .denyCacheTtl(Duration.ZERO)
        .connect();
  }

  @AfterAll
  static void stop() {
    store.close();
    cluster.close();
  }

  @Test
  void aSlotWhoseKeysAreOnTwoMasters() {
    RateLimiter limiter = store.limiter(POLICY);
    int slot = 100;
    List<String> keys = keysOfSlot.get(slot).subList(0, 8);
    // The last two exist nowhere yet, and half of the others have moved.
    keys.subList(0, 6).forEach(key -> limiter.charge(key, EACH));
    SlotMigration migration = cluster.startMigration(slot, anotherMaster(slot));
    migration.moveKeys(3);
    migration.from().command("CONFIG", "RESETSTAT");
    migration.from().pause();
    List<CompletableFuture<Decision>> burst = request(limiter, keys);
    migration.from().resume();

    assertDecidedByRedis(burst);
    assertThat(String.valueOf(migration.from().command("INFO", "errorstats")))
        .contains("errorstat_TRYAGAIN", "errorstat_ASK");
    assertCharged(limiter, keys.subList(0, 6), 2 * EACH);
    assertCharged(limiter, keys.subList(6, 8), EACH);

    migration.finish();
    assertDecidedByRedis(request(limiter, keys));
    assertCharged(limiter, keys.subList(0, 6), 3 * EACH);
    assertCharged(limiter, keys.subList(6, 8), 2 * EACH);
  }

  @Test
  void slotsMoveUnderLoad() {
    List<Integer> slots = IntStream.range(200, 212).boxed().toList();
    RedisServer from = cluster.masterOf(200);
    from.command("CONFIG", "RESETSTAT");

    assertChargedOnceWhile(
        slots, () -> slots.forEach(slot -> cluster.migrate(slot, anotherMaster(slot))));
    assertThat(String.valueOf(from.command("INFO", "errorstats"))).contains("errorstat_MOVED");
  }

  @Test
  void scriptsAreFlushedUnderLoad() {
    RedisServer master = cluster.masterOf(300);
    master.command("CONFIG", "RESETSTAT");

    assertChargedOnceWhile(
        IntStream.range(300, 330).boxed().toList(),
        () -> {
          for (int i = 0; i < 100; i++) {
            master.command("SCRIPT", "FLUSH");
          }
        });
    assertThat(String.valueOf(master.command("INFO", "errorstats"))).contains("errorstat_NOSCRIPT");
  }

  @Test
  void aReplicaTakesOverUnderLoad() {
    RateLimiter limiter = store.limiter(POLICY);
    List<String> keys = someKeys(IntStream.range(400, 430).boxed().toList());
    RedisServer master = cluster.masterOf(400);
    master.command("CONFIG", "RESETSTAT");

    // The master waits until the replica has everything: nothing that was decided is lost.
    Load load = new Load(limiter, keys);
    load.runWhile(
        () -> {
          replicaOf(master).command("CLUSTER", "FAILOVER");
          cluster.awaitSuccessorOf(master, 400);
        });
    assertThat(String.valueOf(master.command("INFO", "errorstats"))).contains("errorstat_MOVED");
    // The others were not sent, since there was no connection to the new master yet.
    keys.forEach(key -> assertCharged(limiter, List.of(key), load.byRedis.get(key)));
  }

  @Test
  void aMasterIsKilledUnderLoad() {
    try (RedisCluster own = RedisCluster.start("cluster-require-full-coverage no");
        RedisStore itsStore = store(own)) {
      RateLimiter limiter = itsStore.limiter(POLICY.withDeadline(Duration.ofMillis(200)));
      List<String> keys = someKeys(IntStream.range(500, 530).boxed().toList());
      List<String> others = someKeys(IntStream.range(16_000, 16_030).boxed().toList());
      Load load = new Load(limiter, Stream.concat(keys.stream(), others.stream()).toList());
      load.runWhile(() -> own.failover(own.masterOf(500)));

      assertThat(load.requested)
          .allSatisfy(
              (key, requests) ->
                  assertThat(limiter.inspect(key).used()).as(key).isLessThanOrEqualTo(requests));
      assertThat(others)
          .allSatisfy(
              key ->
                  assertThat(limiter.inspect(key).used())
                      .as(key)
                      .isGreaterThanOrEqualTo(load.byRedis.get(key)));
    }
  }

  /** Requests for some keys, many at a time. */
  private static final class Load {
    final Map<String, Integer> requested = new ConcurrentHashMap<>();
    final Map<String, Integer> byRedis = new ConcurrentHashMap<>();
    private final RateLimiter limiter;
    private final List<String> keys;

    Load(RateLimiter limiter, List<String> keys) {
      this.limiter = limiter;
      this.keys = keys;
    }

    /** Makes requests until something is over, and then until Redis decides about all of them. */
    void runWhile(Runnable disturbance) {
      AtomicBoolean isOver = new AtomicBoolean();
      AtomicBoolean isGivenUp = new AtomicBoolean();
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(
              () -> {
                boolean isBack = false;
                while ((!isOver.get() || !isBack) && !isGivenUp.get()) {
                  isBack = isDecidedByRedis();
                }
              });
      try {
        disturbance.run();
        isOver.set(true);
        assertThat(load).as("Redis decides again").succeedsWithin(PATIENCE);
      } finally {
        isGivenUp.set(true);
      }
    }

    private boolean isDecidedByRedis() {
      List<CompletableFuture<Decision>> decisions = request(limiter, keys);
      boolean all = true;
      for (int i = 0; i < decisions.size(); i++) {
        String key = keys.get(i % keys.size());
        boolean isByRedis = decisions.get(i).join().source() == Source.STORE;
        requested.merge(key, 1, Integer::sum);
        byRedis.merge(key, isByRedis ? 1 : 0, Integer::sum);
        all &= isByRedis;
      }
      return all;
    }
  }

  private static RedisServer replicaOf(RedisServer master) {
    String port = Integer.toString(master.port());
    return cluster.nodes().stream()
        .filter(node -> String.valueOf(node.command("ROLE")).startsWith("[slave"))
        .filter(node -> String.valueOf(node.command("ROLE")).contains(port))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> someKeys(List<Integer> slots) {
    return slots.stream().flatMap(slot -> keysOfSlot.get(slot).stream().limit(4)).toList();
  }

  /** Requests permits of a few keys in each slot until something is over, and counts them. */
  private static void assertChargedOnceWhile(List<Integer> slots, Runnable disturbance) {
    RateLimiter limiter = store.limiter(POLICY);
    List<String> keys = someKeys(slots);
    AtomicBoolean isOver = new AtomicBoolean();
    CompletableFuture<Integer> load =
        CompletableFuture.supplyAsync(
            () -> {
              int rounds = 0;
              for (; !isOver.get() || rounds == 0; rounds++) {
                assertDecidedByRedis(request(limiter, keys));
              }
              return rounds;
            });
    try {
      disturbance.run();
    } finally {
      isOver.set(true);
    }
    assertCharged(limiter, keys, (long) load.join() * EACH);
  }

  private static void assertCharged(RateLimiter limiter, List<String> keys, long permits) {
    assertThat(keys)
        .allSatisfy(key -> assertThat(limiter.inspect(key).used()).as(key).isEqualTo(permits));
  }

  private static List<CompletableFuture<Decision>> request(RateLimiter limiter, List<String> keys) {
    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
    for (int i = 0; i < EACH; i++) {
      keys.forEach(key -> decisions.add(limiter.tryAcquireAsync(key, 1).toCompletableFuture()));
    }
    return decisions;
  }

  private static void assertDecidedByRedis(List<CompletableFuture<Decision>> decisions) {
    assertThat(decisions)
        .extracting(CompletableFuture::join)
        .allMatch(decision -> decision.source() == Source.STORE && decision.allowed());
  }

  private static RedisServer anotherMaster(int slot) {
    RedisServer from = cluster.masterOf(slot);
    return cluster.masters().stream().filter(m -> !m.equals(from)).findFirst().orElseThrow();
  }
}
