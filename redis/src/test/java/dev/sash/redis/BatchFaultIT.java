package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.FaultProxy;
import dev.sash.testkit.redis.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A call with many requests fails in each way that a call can fail: every request is decided once
 * and in time, and no request is charged twice.
 */
@Timeout(120)
@ExtendWith(ConnectedBefore.class)
class BatchFaultIT {
  private static final int EACH = 4;
  private static final List<String> KEYS =
      IntStream.range(0, 50).mapToObj(i -> "key " + i).toList();

  /** Long enough for a busy machine to send what has gathered. */
  private static final Duration DEADLINE = Duration.ofSeconds(4);

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private static final Policy POLICY =
      Policy.of("api", Limit.slidingLog(1_000, Duration.ofHours(1))).withDeadline(DEADLINE);

  private final Map<String, Integer> decisionsOfKey = new ConcurrentHashMap<>();
  private RedisServer server;
  private FaultProxy proxy;
  private RedisStore store;
  private RedisStore witness;

  @BeforeEach
  void connect() {
    server = RedisServer.start("maxmemory-policy noeviction");
    proxy = FaultProxy.to(server);
    store = store(proxy.uri());
    witness = store(server.uri());
  }

  @AfterEach
  void disconnect() {
    store.close();
    witness.close();
    proxy.close();
    server.close();
  }

  @Test
  void whatGathersGoesOutInOneCall() {
    List<CompletableFuture<Decision>> burst = gather(limiter(POLICY), KEYS);
    long calls = calls("evalsha");
    proxy.pass();

    assertThat(decisions(burst)).allMatch(d -> d.source() == Source.STORE && d.allowed());
    assertThat(calls("evalsha")).isEqualTo(calls + 1);
    assertCharged(KEYS, EACH);
  }

  @Test
  void theReplyIsLost() {
    RateLimiter limiter = limiter(POLICY);
    List<CompletableFuture<Decision>> burst = gather(limiter, KEYS);
    proxy.dropReplies();

    assertThat(decisions(burst)).allMatch(d -> d.source() == Source.LOCAL);
    proxy.pass();
    awaitDecisionBy(Source.STORE, limiter);
    assertCharged(KEYS, EACH);
  }

  @Test
  void theConnectionBreaksInTheMiddleOfTheCommand() {
    RateLimiter limiter = limiter(POLICY);
    List<CompletableFuture<Decision>> burst = gather(limiter, KEYS);
    proxy.resetAfter(1_500);
    proxy.pass();

    assertThat(decisions(burst)).allMatch(d -> d.source() == Source.LOCAL);
    awaitDecisionBy(Source.STORE, limiter);
    assertCharged(KEYS, 0);
  }

  @Test
  void theConnectionBreaksBeforeTheReply() {
    RateLimiter limiter = limiter(POLICY);
    List<CompletableFuture<Decision>> burst = gather(limiter, KEYS);
    long calls = calls("evalsha");
    proxy.holdReplies();
    await(() -> calls("evalsha") == calls + 1);
    proxy.reset();
    proxy.pass();

    assertThat(decisions(burst)).allMatch(d -> d.source() == Source.LOCAL);
    awaitDecisionBy(Source.STORE, limiter);
    assertCharged(KEYS, EACH);
  }

  @Test
  void theScriptIsFlushed() {
    List<CompletableFuture<Decision>> burst = gather(limiter(POLICY), KEYS);
    long loads = calls("eval");
    server.command("SCRIPT", "FLUSH");
    proxy.pass();

    assertThat(decisions(burst)).allMatch(d -> d.source() == Source.STORE && d.allowed());
    assertThat(calls("eval")).isEqualTo(loads + 1);
    assertCharged(KEYS, EACH);
  }

  @Test
  void memoryIsFull() {
    RateLimiter limiter = limiter(POLICY);
    List<String> exhausted = KEYS.subList(0, 25);
    List<String> fresh = KEYS.subList(25, 50);
    exhausted.forEach(key -> assertThat(limiter.tryAcquire(key, 1_000).allowed()).isTrue());
    decisionsOfKey.clear();
    List<String> mixed = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      mixed.add(exhausted.get(i));
      mixed.add(fresh.get(i));
    }
    List<CompletableFuture<Decision>> burst = gather(limiter, mixed);
    server.command("CONFIG", "SET", "maxmemory", "1");
    proxy.pass();

    List<Decision> decisions = decisions(burst);
    for (int i = 0; i < decisions.size(); i++) {
      boolean isDenied = i % 2 == 0;
      assertThat(decisions.get(i).source()).isEqualTo(isDenied ? Source.STORE : Source.LOCAL);
      assertThat(decisions.get(i).allowed()).isEqualTo(!isDenied);
    }
    server.command("CONFIG", "SET", "maxmemory", "0");
    awaitDecisionBy(Source.STORE, limiter);
    assertCharged(exhausted, 1_000);
    assertCharged(fresh, 0);
  }

  @Test
  void aCallThatTheServerRefusesIsSentOnce() {
    RateLimiter limiter = limiter(POLICY);
    List<CompletableFuture<Decision>> burst = gather(limiter, KEYS);
    long evals = calls("eval");
    server.command("ACL", "SETUSER", "default", "resetkeys", "~*_probe*");
    long refused = refusedCalls();
    proxy.pass();

    assertThat(decisions(burst)).allMatch(d -> d.source() == Source.LOCAL);
    assertThat(refusedCalls()).isEqualTo(refused + 1);
    assertThat(calls("eval")).isEqualTo(evals);
    server.command("ACL", "SETUSER", "default", "allkeys");
    assertCharged(KEYS, 0);
  }

  @Test
  void oneKeyHoldsAForeignValue() {
    List<CompletableFuture<Decision>> burst = gather(limiter(POLICY), KEYS);
    String spoilt = KEYS.get(7);
    server.command("LPUSH", new KeyNames("sash").of("api", spoilt, POLICY.limits())[0], "other");
    long calls = calls("evalsha");
    proxy.pass();

    List<Decision> decisions = decisions(burst);
    for (int i = 0; i < decisions.size(); i++) {
      boolean isSpoilt = i % KEYS.size() == 7;
      assertThat(decisions.get(i).source()).isEqualTo(isSpoilt ? Source.LOCAL : Source.STORE);
    }
    assertThat(calls("evalsha")).isEqualTo(calls + 1);
    assertCharged(KEYS.stream().filter(key -> !key.equals(spoilt)).toList(), EACH);
  }

  @Test
  void theClientLosesCommands() {
    RedisClient client = RedisClient.create(server.uri());
    client.setOptions(RedisStore.clientOptions().build());
    try (StatefulRedisConnection<String, byte[]> connection = client.connect(RedisStore.codec());
        RedisStore lossy = RedisStore.builder().connection(connection).connect()) {
      RateLimiter limiter = lossy.limiter(POLICY.withDeadline(Duration.ofMillis(200)));
      awaitDecisionBy(Source.STORE, limiter);
      connection.setAutoFlushCommands(false);
      List<CompletableFuture<Decision>> lost = new ArrayList<>();
      lost.add(limiter.tryAcquireAsync("first call", 1).toCompletableFuture());
      lost.add(limiter.tryAcquireAsync("second call", 1).toCompletableFuture());
      connection.setAutoFlushCommands(true); // which does not send them

      assertThat(lost).allMatch(decision -> decision.join().source() == Source.LOCAL);
      awaitDecisionBy(Source.STORE, limiter);
      assertCharged(List.of("first call", "second call"), 0);
    } finally {
      client.shutdown(Duration.ZERO, Duration.ZERO);
    }
  }

  /**
   * Requests permits of all keys, a few times each, while the replies to two calls are held: all of
   * them are in the next call. It is sent as soon as the first reply arrives.
   */
  private List<CompletableFuture<Decision>> gather(RateLimiter limiter, List<String> keys) {
    awaitDecisionBy(Source.STORE, limiter);
    proxy.holdReplies();
    long calls = calls("evalsha");
    var unused = limiter.tryAcquireAsync("first call", 1);
    await(() -> proxy.held() == 1);
    unused = limiter.tryAcquireAsync("second call", 1);
    await(() -> calls("evalsha") == calls + 2);
    List<CompletableFuture<Decision>> burst = new ArrayList<>();
    for (int i = 0; i < EACH; i++) {
      keys.forEach(key -> burst.add(limiter.tryAcquireAsync(key, 1).toCompletableFuture()));
    }
    assertThat(burst).noneMatch(CompletableFuture::isDone);
    return burst;
  }

  /** Returns all decisions, each of which was made once, and no later than the deadline demands. */
  private List<Decision> decisions(List<CompletableFuture<Decision>> burst) {
    assertThat(CompletableFuture.allOf(burst.toArray(CompletableFuture<?>[]::new)))
        .succeedsWithin(DEADLINE.plus(PATIENCE));
    KEYS.forEach(key -> assertThat(decisionsOfKey).as(key).containsEntry(key, EACH));
    return burst.stream().map(CompletableFuture::join).toList();
  }

  private void assertCharged(List<String> keys, long permits) {
    RateLimiter inspector = witness.limiter(POLICY);
    assertThat(keys)
        .allSatisfy(
            key ->
                assertThat(inspector.inspect(key).usages().get(0).used())
                    .as("permits charged to %s", key)
                    .isEqualTo(permits));
  }

  private RateLimiter limiter(Policy policy) {
    return store
        .limiter(policy)
        .withListener((any, key, n, decision) -> decisionsOfKey.merge(key, 1, Integer::sum));
  }

  private static RedisStore store(String uri) {
    return RedisStore.builder().uri(uri).denyCacheTtl(Duration.ZERO).connect();
  }

  private static void awaitDecisionBy(Source source, RateLimiter limiter) {
    await(() -> limiter.peek("any key").source() == source);
  }

  private long calls(String command) {
    return statistic("cmdstat_" + command + ":calls=(\\d+)");
  }

  /** Returns the number of script calls that the server has refused without running them. */
  private long refusedCalls() {
    return statistic("cmdstat_evalsha:.*rejected_calls=(\\d+)")
        + statistic("cmdstat_eval:.*rejected_calls=(\\d+)");
  }

  private long statistic(String pattern) {
    Matcher found =
        Pattern.compile(pattern).matcher(String.valueOf(server.command("INFO", "commandstats")));
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }

  /** Waits, until the timeout of the test. */
  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Callers.pause(Duration.ofMillis(2));
    }
  }
}
