package dev.sash.spring;

import static dev.sash.spring.TestApp.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of Gateway's own rate limiter on Redis asked for, on real servers. */
@Timeout(120)
class GatewayRedisIT {
  private static final Pattern NUMBER = Pattern.compile("\\b[0-9]{10,}\\b");

  private final Backend backend = Backend.start();

  @AfterEach
  void stopTheBackend() {
    backend.close();
  }

  private TestApp start(String redis, String... arguments) {
    return start(redis, Routes.webFlux(backend).limited("search", arguments));
  }

  private static TestApp start(String redis, Routes routes, String... more) {
    return TestApp.reactive(GatewayApplication.class)
        .withGateway()
        .with("sash.redis.uri=" + redis)
        .with(routes.properties())
        .with(more)
        .start();
  }

  /** Twenty times, each with a key of its own on the same two gateways. */
  @Test
  void of200ParallelRequestsThroughTwoGatewaysExactlyTheLimitGetThrough() throws Exception {
    String[] limit = {
      "sash-rate-limiter.limits=50/1m",
      "sash-rate-limiter.failure-rule=closed",
      "sash-rate-limiter.deadline=10s"
    };
    try (RedisServer server = RedisServer.start();
        TestApp one = start(server.uri(), limit);
        TestApp two = start(server.uri(), limit)) {
      for (int i = 0; i < 20; i++) {
        String user = "user-" + i;
        List<Integer> statuses =
            TestApp.statusesOf(200, List.of(one, two), "/search", "X-User", user);

        assertThat(Collections.frequency(statuses, 200)).isEqualTo(50);
        assertThat(Collections.frequency(statuses, 429)).isEqualTo(150);
      }
    }
  }

  /** As the client sees it: the admission after the limit is no less than a window later. */
  @Test
  void noWindowEverHoldsMoreThanTheLimitAndRetryAfterIsEnough() throws Exception {
    Duration window = Duration.ofSeconds(2);
    try (RedisServer server = RedisServer.start();
        TestApp app = start(server.uri(), "sash-rate-limiter.limits=3/2s")) {
      List<Long> sent = new ArrayList<>();
      List<Long> received = new ArrayList<>();
      long end = System.nanoTime() + 3 * window.toNanos();
      while (System.nanoTime() < end) {
        long before = System.nanoTime();
        if (app.get("/search").statusCode() == 200) {
          sent.add(before);
          received.add(System.nanoTime());
        }
      }

      assertThat(sent).hasSizeGreaterThanOrEqualTo(6);
      for (int i = 3; i < sent.size(); i++) {
        assertThat(received.get(i) - sent.get(i - 3)).isGreaterThanOrEqualTo(window.toNanos());
      }

      HttpResponse<String> denied = app.get("/search");
      while (denied.statusCode() == 200) {
        denied = app.get("/search");
      }
      long wait = Long.parseLong(field(denied, "Retry-After"));
      assertThat(wait).isBetween(1L, 2L);
      assertThat(new CountDownLatch(1).await(wait, TimeUnit.SECONDS)).isFalse(); // time passes
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
    }
  }

  /** What MONITOR shows: the script reads Redis' time, and no argument is a time of the caller. */
  @Test
  void theClockOfRedisDecidesAndNoTimeOfTheGatewayIsSent() throws Exception {
    try (RedisServer server = RedisServer.start();
        TestApp app = start(server.uri(), "sash-rate-limiter.limits=3/2s")) {
      assertThat(app.get("/search").statusCode()).isEqualTo(200); // the script is loaded
      List<String> commands;
      try (Socket socket = new Socket(server.host(), server.port())) {
        socket.setSoTimeout(10_000);
        socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
        BufferedReader monitor =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
        assertThat(monitor.readLine()).isEqualTo("+OK");
        assertThat(app.get("/search").statusCode()).isEqualTo(200);
        server.command("ECHO", "end-of-test");
        commands = new ArrayList<>();
        for (String line = monitor.readLine();
            !line.contains("end-of-test");
            line = monitor.readLine()) {
          commands.add(line.substring(line.indexOf(']') + 1)); // its own time stamp stands before
        }
      }

      assertThat(commands).anyMatch(command -> command.strip().equalsIgnoreCase("\"TIME\""));
      List<String> calls =
          commands.stream().filter(c -> c.toUpperCase(Locale.ROOT).contains("\"EVALSHA")).toList();
      assertThat(calls).isNotEmpty();
      long now = Instant.now().getEpochSecond();
      for (String call : calls) {
        Matcher number = NUMBER.matcher(call);
        while (number.find()) {
          assertThat(number.group()).doesNotStartWith(Long.toString(now).substring(0, 6));
        }
      }
    }
  }

  /**
   * Reactor Netty 1.3.6 stops reading from a connection if a request waits there behind another and
   * is then answered within the call, such as one that is denied from the cache.
   */
  @ParameterizedTest
  @ValueSource(strings = {"ours", "search"})
  void aConnectionIsReadOnAfterADenialFromTheCache(String path) throws Exception {
    Routes routes =
        Routes.answered()
            .shortcut("ours", "SashRateLimit=one")
            .limited("search", "sash-rate-limiter.policy=one");
    try (RedisServer server = RedisServer.start();
        TestApp app =
            start(
                server.uri(),
                routes,
                "sash.policies.one.limits=1/1h",
                "sash.policies.one.key=header:X-User",
                "sash.redis.deny-cache-ttl=1m")) {
      assertThat(app.get("/" + path, "X-User", "ann").statusCode()).isEqualTo(200);
      assertThat(app.get("/" + path, "X-User", "ann").statusCode()).isEqualTo(429);
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), app.uri("/").getPort())) {
        socket.setSoTimeout(10_000);
        BufferedReader responses =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
        for (int i = 0; i < 5; i++) {
          String both = request(path, "bob" + i) + request(path, "ann"); // Redis, then the cache
          socket.getOutputStream().write(both.getBytes(StandardCharsets.US_ASCII));
          assertThat(nextStatus(responses)).isEqualTo(200);
          assertThat(nextStatus(responses)).isEqualTo(429);
        }
      }
    }
  }

  private static String request(String path, String user) {
    return "GET /" + path + " HTTP/1.1\r\nHost: localhost\r\nX-User: " + user + "\r\n\r\n";
  }

  private static int nextStatus(BufferedReader responses) throws IOException {
    String first = responses.readLine();
    int length = 0;
    for (String line = responses.readLine(); !line.isEmpty(); line = responses.readLine()) {
      if (line.toLowerCase(Locale.ROOT).startsWith("content-length: ")) {
        length = Integer.parseInt(line.substring("content-length: ".length()));
      }
    }
    for (int i = 0; i < length; i++) {
      assertThat(responses.read()).isNotNegative();
    }
    return Integer.parseInt(first.substring(9, 12));
  }

  @Test
  void aClusterKeepsTheLimitsOfManyKeys() throws Exception {
    try (RedisCluster cluster = RedisCluster.start()) {
      String uris =
          cluster.uris().stream()
              .map(uri -> uri.replace("redis://", "redis-cluster://"))
              .collect(Collectors.joining(" "));
      try (TestApp app =
          start(
              uris,
              "sash-rate-limiter.limits=2/1m, 5/1h",
              "sash-rate-limiter.failure-rule=closed",
              "sash-rate-limiter.deadline=10s")) {
        for (int user = 0; user < 20; user++) { // in the slots of all three masters
          String name = "user-" + user;
          assertThat(app.get("/search", "X-User", name).statusCode()).isEqualTo(200);
          assertThat(app.get("/search", "X-User", name).statusCode()).isEqualTo(200);
          assertThat(app.get("/search", "X-User", name).statusCode()).isEqualTo(429);
        }
        assertThat(cluster.masters())
            .allSatisfy(
                master -> assertThat((Long) master.command("DBSIZE")).isGreaterThanOrEqualTo(1));
      }
    }
  }

  @Test
  void theRuleDecidesWhileRedisIsGone() throws Exception {
    Routes routes =
        Routes.webFlux(backend)
            .limited(
                "closed",
                "sash-rate-limiter.limits=100/1m",
                "sash-rate-limiter.failure-rule=closed")
            .limited("open", "sash-rate-limiter.limits=2/1m", "sash-rate-limiter.failure-rule=open")
            .limited("local", "sash-rate-limiter.limits=2/1m")
            .limited("named", "sash-rate-limiter.policy=named")
            .shortcut("ours", "SashRateLimit=named");
    try (RedisServer server = RedisServer.start();
        TestApp app =
            start(
                server.uri(),
                routes,
                "sash.policies.named.limits=100/1m",
                "sash.policies.named.failure-rule=closed")) {
      assertThat(app.get("/closed").statusCode()).isEqualTo(200);
      server.kill();

      HttpResponse<String> closed = app.get("/closed");
      assertThat(closed.statusCode()).isEqualTo(429); // the status that Gateway's filter has
      assertThat(field(closed, "Retry-After")).isEqualTo("1");
      assertThat(app.get("/named").statusCode()).isEqualTo(429);
      HttpResponse<String> ours = app.get("/ours");
      assertThat(ours.statusCode()).isEqualTo(503);
      assertThat(ours.body()).contains("#temporary-reduced-capacity");
      for (int i = 0; i < 5; i++) {
        assertThat(app.get("/open").statusCode()).isEqualTo(200);
      }
      assertThat(app.get("/local").statusCode()).isEqualTo(200);
      assertThat(app.get("/local").statusCode()).isEqualTo(200);
      assertThat(app.get("/local").statusCode()).isEqualTo(429);
    }
  }
}
