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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Calls with several keys of a slot that moves from one master to another: Redis decides about
 * every request, and charges it once.
 */
@Timeout(180)
class BatchClusterIT {
  private static final int EACH = 5;
  private static final Policy POLICY =
      Policy.of("api", Limit.slidingLog(1_000_000, Duration.ofHours(1)))
          .withDeadline(Duration.ofSeconds(40));

  private static RedisCluster cluster;
  private static RedisStore store;
  private static Map<Integer, List<String>> keysOfSlot;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start();
    store =
        RedisStore.builder()
            .uris(
                cluster.uris().stream()
                    .map(uri -> uri.replace("redis://", "redis-cluster://"))
                    .toList())
            .denyCacheTtl(Duration.ZERO)
            .connect();
    KeyNames names = new KeyNames("sash");
    keysOfSlot =
        IntStream.range(0, 200_000)
            .mapToObj(i -> "key " + i)
            .collect(Collectors.groupingBy(key -> RedisCluster.slotOf(names.tagged("api", key))));
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
    RateLimiter limiter = store.limiter(POLICY);
    List<Integer> slots = IntStream.range(200, 212).boxed().toList();
    List<String> keys =
        slots.stream().flatMap(slot -> keysOfSlot.get(slot).subList(0, 4).stream()).toList();
    RedisServer from = cluster.masterOf(200);
    from.command("CONFIG", "RESETSTAT");
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
    slots.forEach(slot -> cluster.migrate(slot, anotherMaster(slot)));
    isOver.set(true);

    int rounds = load.join();
    assertThat(String.valueOf(from.command("INFO", "errorstats"))).contains("errorstat_MOVED");
    assertCharged(limiter, keys, rounds * EACH);
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
