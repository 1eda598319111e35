package dev.sash.benchmarks.server;

import static dev.sash.benchmarks.server.ServerContender.BATCH;
import static dev.sash.benchmarks.server.ServerContender.EMPTY;
import static dev.sash.benchmarks.server.ServerContender.HAPROXY;
import static dev.sash.benchmarks.server.ServerContender.MEMORY;
import static dev.sash.benchmarks.server.ServerContender.NGINX;
import static dev.sash.benchmarks.server.ServerContender.REDIS;
import static dev.sash.benchmarks.server.ServerContender.RLS;

import dev.sash.benchmarks.Machine;
import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.Rounds;
import dev.sash.benchmarks.http.Cores;
import dev.sash.benchmarks.redis.SortedSetScript;
import dev.sash.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * {@code ./sash bench server}: how much the service answers, beside its own empty endpoint and
 * beside proxies that limit by themselves, in one run.
 *
 * <p>Every server has one core and the load generator the other, where processes can be bound. A
 * turn is short, and each contender has one in every round, so that the state of the machine is the
 * same for all.
 */
public final class ServerComparison implements AutoCloseable {
  static final int BATCH_SIZE = 100;
  private static final int CONNECTIONS = 16;
  private static final int KEYS = 1_000;
  private static final int MANY_KEYS = 1_000_000;
  private static final int STARTS = 5;
  private static final long WINDOW_MILLIS = 60_000;

  /**
   * One turn.
   *
   * @param perSecond answers a second
   * @param cpuMicros microseconds on a processor for each
   */
  private record Turn(double perSecond, double cpuMicros) {}

  private final boolean quick;
  private final Path folder = Files.createTempDirectory("sash-bench");
  private final Map<ServerContender, ServerProcess> servers = new EnumMap<>(ServerContender.class);
  private final Map<ServerContender, Driver> drivers = new EnumMap<>(ServerContender.class);
  private final Rounds<Turn> turns = new Rounds<>();
  private final Rounds<Double> resp = new Rounds<>();
  private final boolean bound = Cores.canBeChosen();
  private final String machine;
  private int grpcPort;

  private ServerComparison(boolean quick) throws IOException {
    this.quick = quick;
    // Before this process is bound to a core and takes it for the only one.
    this.machine =
        Machine.describe("./sash bench server" + (quick ? " --quick" : ""), "", "Vert.x", "Netty");
  }

  /** Measures, and reports. */
  public static Report run(boolean quick) throws IOException {
    try (ServerComparison comparison = new ServerComparison(quick);
        RedisServer redis = RedisServer.start()) {
      return comparison.compare(redis);
    }
  }

  private Report compare(RedisServer redis) throws IOException {
    double startMillis = startMillis();
    int proofPort = ServerProcess.freePort();
    ServerProcess memory =
        SashProcess.start(folder, "memory", OptionalInt.empty(), "--grpc-port", "" + proofPort);
    servers.put(MEMORY, memory);
    servers.put(EMPTY, memory);
    // Few servers receive requests of all kinds.
    int respPort = ServerProcess.freePort();
    grpcPort = ServerProcess.freePort();
    servers.put(
        RLS,
        SashProcess.start(folder, "rls", OptionalInt.of(respPort), "--grpc-port", "" + grpcPort));
    servers.put(BATCH, SashProcess.start(folder, "batch", OptionalInt.empty()));
    servers.put(
        REDIS, SashProcess.start(folder, "redis", OptionalInt.empty(), "--redis", redis.uri()));
    startPeers();
    if (bound) {
      Cores.bind(ProcessHandle.current().pid(), Cores.OF_GENERATOR);
    }
    connect();
    new ServerProof(proofPort, memory.port(), server(REDIS).port()).check();

    Duration turn = Duration.ofMillis(quick ? 500 : 1_000);
    say("warming up");
    for (int i = 0; i < (quick ? 12 : 20); i++) {
      for (ServerContender contender : drivers.keySet()) {
        driver(contender).flood(Duration.ofMillis(500));
      }
    }
    int rounds = quick ? 8 : 20;
    for (int round = 0; round < rounds; round++) {
      say("round " + (round + 1) + " of " + rounds);
      for (ServerContender contender : Rounds.forthAndBack(drivers.keySet(), round)) {
        turns.add(turn(contender, turn), contender);
      }
    }
    boolean hasResp = measureResp(respPort, redis);
    stopServers(); // they are idle, but not quite
    Duration atHalf = Duration.ofSeconds(quick ? 5 : 20);
    return report(startMillis, hasResp, ManyKeys.measure(folder, MANY_KEYS, KEYS, atHalf));
  }

  private void startPeers() throws IOException {
    Optional<Path> nginx = Peers.find("nginx");
    if (nginx.isPresent()) {
      servers.put(NGINX, Peers.nginx(nginx.get(), folder));
    }
    Optional<Path> haproxy = Peers.find("haproxy");
    if (haproxy.isPresent()) {
      servers.put(HAPROXY, Peers.haproxy(haproxy.get(), folder));
    }
  }

  private void connect() throws IOException {
    byte[] empty = Requests.get("/livez");
    for (ServerContender contender : servers.keySet()) {
      int port = server(contender).port();
      drivers.put(
          contender,
          switch (contender) {
            case EMPTY -> http(port, () -> empty);
            case MEMORY, REDIS -> http(port, Requests.forKeys(KEYS, Requests::check));
            case BATCH ->
                http(port, Requests.forKeys(KEYS, key -> Requests.batch(key, BATCH_SIZE, KEYS)));
            case RLS ->
                new Driver(
                    CONNECTIONS,
                    () -> new GrpcExchange(grpcPort, Requests.RLS_METHOD),
                    Requests.forKeys(KEYS, Requests::shouldRateLimit));
            case NGINX, HAPROXY ->
                http(port, Requests.forKeys(KEYS, key -> Requests.get("/ok?key=" + key)));
          });
    }
  }

  private static Driver http(int port, Supplier<byte[]> requests) throws IOException {
    return new Driver(CONNECTIONS, () -> new HttpExchange(port), requests);
  }

  private Turn turn(ServerContender contender, Duration time) throws IOException {
    Duration before = server(contender).cpuTime();
    long begin = System.nanoTime();
    double perSecond = driver(contender).flood(time);
    double answers = perSecond * (System.nanoTime() - begin) / 1e9;
    double cpuMicros = server(contender).cpuTime().minus(before).toNanos() / 1e3;
    return new Turn(perSecond, cpuMicros / answers);
  }

  /** The median of some starts, the first of which may still make the archive of classes. */
  private double startMillis() throws IOException {
    say("starting");
    double[] millis = new double[STARTS];
    for (int i = -1; i < STARTS; i++) {
      long begin = System.nanoTime();
      try (ServerProcess server = SashProcess.startPlain(folder);
          HttpExchange exchange = new HttpExchange(server.port())) {
        exchange.ask(Requests.get("/v1/check/default/first"));
        exchange.await();
        if (i >= 0) {
          millis[i] = (System.nanoTime() - begin) / 1e6;
        }
      }
    }
    return Rounds.median(millis);
  }

  /** In turns, by redis-benchmark; false if that is not installed. */
  private boolean measureResp(int respPort, RedisServer redis) throws IOException {
    Optional<Path> program = Peers.find("redis-benchmark");
    if (program.isEmpty()) {
      return false;
    }
    RedisBenchmark benchmark = new RedisBenchmark(program.get());
    if (bound) {
      Cores.bind(redis.pid(), Cores.OF_APPLICATION);
    }
    String sha = String.valueOf(redis.command("SCRIPT", "LOAD", SortedSetScript.source()));
    int requests = quick ? 200_000 : 500_000;
    benchmark.run(respPort, requests, "SASH.CHECK", Requests.POLICY, "resp:__rand_int__");
    for (int round = 0; round < (quick ? 3 : 7); round++) {
      say("RESP, round " + (round + 1));
      resp.add(
          benchmark.run(respPort, requests, "SASH.CHECK", Requests.POLICY, "resp:__rand_int__"),
          "sash");
      String now = "" + System.currentTimeMillis();
      String[] evalsha = {
        "EVALSHA", sha, "1", "log:__rand_int__", "1000000", "" + WINDOW_MILLIS, now, "__rand_int__"
      };
      resp.add(benchmark.run(redis.port(), requests, evalsha), "sorted set");
    }
    return true;
  }

  private Report report(double startMillis, boolean hasResp, ManyKeys many) {
    Report report = new Report("The service", machine);
    report.paragraph(
        (bound
                ? "Every server has one core and the load generator the other, unless stated otherwise; "
                : "Servers and the load generator share all cores; ")
            + CONNECTIONS
            + " connections, one request under way on each, "
            + KEYS
            + " keys. Medians of turns that everybody had in every round.");
    report.section("Answers");
    report.table("", "decisions/s", "of the empty endpoint", "CPU µs per answer");
    for (ServerContender contender : ServerContender.values()) {
      if (drivers.containsKey(contender)) {
        report.row(
            contender.label(),
            String.format("%,.0f", perSecond(contender) * contender.decisions()),
            contender == BATCH ? "" : String.format("%.2f ×", ratio(contender, EMPTY)),
            String.format("%.1f", turns.median(Turn::cpuMicros, contender)));
      }
    }
    String left =
        Stream.of(NGINX, HAPROXY)
            .filter(peer -> !drivers.containsKey(peer))
            .map(peer -> peer.label().replaceAll(",.*", ""))
            .reduce("", (a, b) -> a.isEmpty() ? b : a + " and " + b);
    if (!left.isEmpty()) {
      report.paragraph("Left out, because not installed: " + left + ".");
    }
    if (hasResp) {
      report.section("RESP, by redis-benchmark, 16 deep");
      report.table("", "commands/s");
      report.row("`SASH.CHECK`", String.format("%,.0f", resp.median(x -> x, "sash")));
      report.row(
          "`EVALSHA` of the sorted-set log on redis-server",
          String.format("%,.0f", resp.median(x -> x, "sorted set")));
    }
    report.section("At half of the most, and with a million keys");
    many.tell(report);
    report.section("Start");
    report.paragraph(
        String.format(
            "From `./sash serve` to its first answer: %.0f ms, the median of %d.",
            startMillis, STARTS));
    goals(report, startMillis, hasResp, many);
    return report;
  }

  private void goals(Report report, double startMillis, boolean hasResp, ManyKeys many) {
    report.goals();
    report.atLeast(0.8, "`/v1/check`: 80 % of the empty endpoint", ratio(MEMORY, EMPTY), "×");
    report.atLeast(1, "`/v1/check`: as much as nginx with `limit_req`", ratio(MEMORY, NGINX), "×");
    double perRedis =
        hasResp ? resp.median((a, b) -> a / b, x -> x, "sash", "sorted set") : Double.NaN;
    report.atLeast(1, "RESP: as much as the sorted set on redis-server (aim: 3 ×)", perRedis, "×");
    report.atLeast(
        500,
        "batches of 100: 500,000 decisions/s",
        perSecond(BATCH) * BATCH_SIZE / 1e3,
        "thousand");
    report.atMost(5, "99 % at half of the most: 5 ms", many.few().millis(99), "ms");
    report.atMost(1_500, "start: 1.5 s", startMillis, "ms");
    report.atLeast(0.8, "a million keys: 80 % of the answers for a thousand", many.ratio(), "×");
  }

  private double perSecond(ServerContender contender) {
    return turns.median(Turn::perSecond, contender);
  }

  private double ratio(ServerContender a, ServerContender b) {
    return turns.median((x, y) -> x / y, Turn::perSecond, a, b);
  }

  private ServerProcess server(ServerContender contender) {
    return Objects.requireNonNull(servers.get(contender));
  }

  private Driver driver(ServerContender contender) {
    return Objects.requireNonNull(drivers.get(contender));
  }

  static void say(String what) {
    System.out.println(what + " ...");
  }

  private void stopServers() throws IOException {
    for (Driver driver : drivers.values()) {
      driver.close();
    }
    servers.values().forEach(ServerProcess::close);
  }

  @Override
  public void close() throws IOException {
    stopServers();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
