package dev.sash.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.FaultProxy;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Each way in which Redis fails, while callers go on asking: none waits beyond the deadline, no
 * exception escapes, no more is admitted than guarantee 5 allows, and Redis decides again by
 * itself. How long that took is printed.
 */
@Timeout(120)
@ExtendWith(ConnectedBefore.class)
class RedisFaultIT {
  private static final long PERMITS = 2_000;
  private static final Duration DEADLINE = ofMillis(50);
  private static final Duration WHILE = ofMillis(600);
  private static final List<String> KEYS = List.of("a", "b", "c");

  /** Nobody is forgiven anything during a test: all that is admitted lies in one window. */
  private static final Policy POLICY =
      Policy.of("api", Limit.slidingLog(PERMITS, Duration.ofHours(1))).withDeadline(DEADLINE);

  private interface Fault {
    void happens() throws Exception;
  }

  @Test
  void killedAndRestarted() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = store(server.uri())) {
      // Nothing is on disk: the state of the first life is lost.
      check(store, "kill -9 and restart", 2, Source.LOCAL, server::kill, server::restart);
    }
  }

  @Test
  void stoppedAndContinued() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = store(server.uri())) {
      check(store, "SIGSTOP and SIGCONT", 1, Source.LOCAL, server::pause, server::resume);
    }
  }

  @Test
  void scriptCacheFlushed() {
    try (RedisServer server = RedisServer.start();
        RedisStore store = store(server.uri());
        Callers callers = new Callers(store.limiter(POLICY), KEYS)) {
      callers.awaitAnswersForAllKeysFrom(Source.STORE);
      for (int i = 0; i < 50; i++) {
        server.command("SCRIPT", "FLUSH");
        Callers.pause(ofMillis(10));
      }
      Callers.Report report = callers.stop();

      print("SCRIPT FLUSH 50 times", Duration.ZERO, report);
      report.assertNobodyWaitedBeyond(DEADLINE);
      assertThat(report.mostAdmitted(Source.STORE)).isLessThanOrEqualTo(PERMITS);
    }
  }

  @Test
  void connectionResetInTheMiddleOfACommand() throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(server);
        RedisStore store = store(proxy.uri());
        Callers callers = new Callers(store.limiter(POLICY), KEYS)) {
      callers.awaitAnswersForAllKeysFrom(Source.STORE);
      Duration recovery = Duration.ZERO;
      for (int i = 1; i <= 5; i++) {
        proxy.resetAfter(1_000 + 37 * i);
        callers.awaitAnswerFrom(Source.LOCAL);
        recovery = callers.awaitAnswerFrom(Source.STORE);
      }
      Callers.Report report = callers.stop();

      print("reset in the middle of a command, 5 times", recovery, report);
      assertCalm(store, report, 1);
    }
  }

  @Test
  void repliesDropped() throws Exception {
    withProxy("replies dropped", FaultProxy::dropReplies);
  }

  @Test
  void lateByFiveSeconds() throws Exception {
    withProxy("late by 5 s", proxy -> proxy.delay(ofSeconds(5)));
  }

  @Test
  void silent() throws Exception {
    withProxy("nothing comes through", FaultProxy::blackHole);
  }

  @Test
  void connectionsRefused() throws Exception {
    withProxy("connections refused", FaultProxy::refuse);
  }

  @Test
  void connectionsCut() throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(server);
        RedisStore store = store(proxy.uri())) {
      check(store, "connection cut", 1, Source.LOCAL, proxy::cut, () -> {});
    }
  }

  @Test
  void outOfMemory() throws Exception {
    try (RedisServer server = RedisServer.start("maxmemory-policy noeviction");
        RedisStore store = store(server.uri())) {
      check(
          store,
          "OOM with noeviction",
          1,
          Source.LOCAL,
          () -> server.command("CONFIG", "SET", "maxmemory", "1"),
          () -> server.command("CONFIG", "SET", "maxmemory", "0"));
    }
  }

  @Test
  void readOnly() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = store(server.uri())) {
      check(
          store,
          "READONLY",
          1,
          Source.LOCAL,
          () -> server.command("REPLICAOF", "127.0.0.1", "1"),
          () -> server.command("REPLICAOF", "NO", "ONE"));
    }
  }

  @Test
  void loading() throws Exception {
    try (RedisServer server =
            RedisServer.start("save 3600 1000000", "rdbcompression no", "key-load-delay 50000");
        RedisStore store = store(server.uri())) {
      // While it loads, a server answers after every 2 MB.
      for (int i = 0; i < 40; i++) {
        server.command("SETRANGE", "other " + i, "500000", "x");
      }
      server.command("SAVE");
      // It loads what was saved, slowly, before it answers again.
      check(store, "LOADING", 2, Source.LOCAL, server::kill, server::restart);
      assertThat(secondsOfLoading(server)).isGreaterThan(1);
    }
  }

  private static double secondsOfLoading(RedisServer server) {
    Matcher matcher =
        Pattern.compile("DB loaded from disk: ([0-9.]+) seconds").matcher(server.log());
    double seconds = 0;
    while (matcher.find()) {
      seconds = Double.parseDouble(matcher.group(1));
    }
    return seconds;
  }

  @Test
  void passwordChanged() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = store(server.uri())) {
      check(
          store,
          "password changed",
          1,
          Source.LOCAL,
          () -> {
            server.command("CONFIG", "SET", "requirepass", "another");
            server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
          },
          () -> server.command("CONFIG", "SET", "requirepass", ""));
    }
  }

  @Test
  void somethingElseUnderAKey() {
    try (RedisServer server = RedisServer.start();
        RedisStore store = store(server.uri())) {
      RateLimiter limiter = store.limiter(POLICY);
      String name = new KeyNames("sash").of("api", "a", POLICY.limits())[0];
      for (int i = 0; i < 20; i++) {
        server.command("DEL", name);
        server.command("LPUSH", name, "not ours");
        assertThat(limiter.tryAcquire("a").source()).isEqualTo(Source.LOCAL);
        server.command("SET", name, "nor this");
        assertThat(limiter.tryAcquire("a").source()).isEqualTo(Source.LOCAL);
        assertThat(limiter.tryAcquire("b").source()).isEqualTo(Source.STORE);
      }
      limiter.reset("a");

      Decision decision = limiter.tryAcquire("a");
      assertThat(decision.source()).isEqualTo(Source.STORE);
      assertThat(decision.used()).isEqualTo(1);
      assertThat(store.isUp()).isTrue();
    }
  }

  @Test
  void notThereAtFirst() throws Exception {
    try (RedisServer server = RedisServer.start()) {
      server.kill();
      try (RedisStore store = store(server.uri());
          Callers callers = new Callers(store.limiter(POLICY), KEYS)) {
        callers.awaitAnswersForAllKeysFrom(Source.LOCAL);
        server.restart();
        Duration recovery = callers.awaitAnswersForAllKeysFrom(Source.STORE);
        Callers.Report report = callers.stop();

        print("not there at first", recovery, report);
        assertCalm(store, report, 1);
      }
    }
  }

  @Test
  void openAdmitsAndClosedDenies() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = store(server.uri())) {
      RateLimiter open = store.limiter(POLICY.onFailure(FailureRule.OPEN));
      RateLimiter closed = store.limiter(POLICY.onFailure(FailureRule.CLOSED));
      server.kill();
      for (int i = 0; i < 20; i++) {
        Decision admitted = open.tryAcquire("a", PERMITS);
        assertThat(admitted.allowed()).isTrue();
        assertThat(admitted.source()).isEqualTo(Source.FAILURE_RULE);
        Decision denied = closed.tryAcquire("a");
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.retryAfter()).isEqualTo(ofSeconds(1));
        assertThat(denied.source()).isEqualTo(Source.FAILURE_RULE);
      }
      assertThat(open.tryAcquire("a", PERMITS + 1).neverAllowed()).isTrue();
      assertThat(closed.tryAcquire("a", PERMITS + 1).neverAllowed()).isTrue();
      assertThat(store.fallbacks()).isEqualTo(42);
      assertThat(store.isUp()).isFalse();
    }
  }

  @Test
  void localAdmitsItsShare() {
    try (RedisServer server = RedisServer.start();
        RedisStore store =
            RedisStore.builder().uri(server.uri()).nodes(4).denyCacheTtl(Duration.ZERO).connect()) {
      RateLimiter limiter =
          store.limiter(
              POLICY.withTiers(
                  key -> key.equals("pro") ? List.of(Limit.parse("4001/1h")) : List.of()));
      server.kill();

      assertThat(limiter.tryAcquire("free", PERMITS / 4).allowed()).isTrue();
      assertThat(limiter.tryAcquire("free").allowed()).isFalse();
      Decision charged = limiter.tryAcquire("pro", 1_000);
      assertThat(charged.allowed()).isTrue();
      assertThat(limiter.tryAcquire("pro").allowed()).isFalse();
      assertThat(limiter.refund("pro", 10).remaining()).as("of Redis' permits").isZero();
      assertThat(limiter.refund("pro", 10, charged).remaining()).isEqualTo(10);
      assertThat(limiter.peek("pro").source()).isEqualTo(Source.LOCAL);
    }
  }

  private interface ProxyFault {
    void on(FaultProxy proxy);
  }

  private static void withProxy(String name, ProxyFault fault) throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(server);
        RedisStore store = store(proxy.uri())) {
      check(store, name, 1, Source.LOCAL, () -> fault.on(proxy), proxy::pass);
    }
  }

  /**
   * Lets a fault happen and pass under load.
   *
   * @param lives how often the state of Redis began anew, the first time included
   */
  private static void check(
      RedisStore store, String name, int lives, Source meanwhile, Fault fault, Fault cure)
      throws Exception {
    try (Callers callers = new Callers(store.limiter(POLICY), KEYS)) {
      callers.awaitAnswersForAllKeysFrom(Source.STORE);
      fault.happens();
      callers.awaitAnswersForAllKeysFrom(meanwhile);
      Callers.pause(WHILE);
      cure.happens();
      Duration recovery = callers.awaitAnswersForAllKeysFrom(Source.STORE);
      Callers.Report report = callers.stop();

      print(name, recovery, report);
      assertCalm(store, report, lives);
    }
  }

  private static void assertCalm(RedisStore store, Callers.Report report, int lives) {
    report.assertNobodyWaitedBeyond(DEADLINE);
    assertThat(report.mostAdmitted(Source.STORE)).isLessThanOrEqualTo(lives * PERMITS);
    assertThat(report.mostAdmitted(Source.LOCAL)).isLessThanOrEqualTo(PERMITS);
    for (String key : KEYS) {
      // What was charged without an answer is lost to the caller, never the other way round.
      if (lives == 1) {
        assertThat(store.limiter(POLICY).inspect(key).usages().get(0).used())
            .isGreaterThanOrEqualTo(report.admitted(key, Source.STORE));
      }
    }
  }

  private static RedisStore store(String uri) {
    return RedisStore.builder().uri(uri).denyCacheTtl(Duration.ZERO).connect();
  }

  private static void print(String name, Duration recovery, Callers.Report report) {
    System.out.printf(
        "%s: Redis decides again after %d ms; %s%n", name, recovery.toMillis(), report);
  }
}
