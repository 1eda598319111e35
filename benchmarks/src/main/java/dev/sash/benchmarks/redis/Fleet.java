package dev.sash.benchmarks.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.benchmarks.Asked;
import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.Rounds;
import dev.sash.benchmarks.redis.Callers.Load;
import dev.sash.benchmarks.redis.RedisContender.Task;
import dev.sash.testkit.redis.RedisServer;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What one key costs Redis when every process of a fleet spends its permits. */
final class Fleet {
  private static final int PROCESSES = 8;
  private static final int CALLERS = 32;
  private static final Traffic TRAFFIC = Traffic.HOT_ALLOWED;
  private static final List<RedisContender> CONTENDERS =
      List.of(
          RedisContender.SASH_LOG_BELIEVING,
          RedisContender.SASH_COUNTER_BELIEVING,
          RedisContender.SORTED_SET,
          RedisContender.EMPTY);

  /**
   * One turn of all processes.
   *
   * @param perSecond decisions of all of them
   * @param cpuMicros time on the processor of Redis for a decision
   * @param p99Micros of the process with the median
   */
  private record Cost(double perSecond, double cpuMicros, double p99Micros) {}

  private final RedisServer server;
  private final boolean quick;
  private final Rounds<Cost> costs = new Rounds<>();

  Fleet(RedisServer server, boolean quick) {
    this.server = server;
    this.quick = quick;
  }

  void measure() throws IOException {
    List<Member> members = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        members.add(Member.start(server.uri()));
      }
      Duration warmUp = Duration.ofMillis(quick ? 1_000 : 3_000);
      for (RedisContender contender : CONTENDERS) {
        Cost unused = turn(members, contender, warmUp);
      }
      int rounds = quick ? 3 : 5;
      for (int round = 0; round < rounds; round++) {
        for (RedisContender contender : Rounds.order(CONTENDERS, round)) {
          Cost cost = turn(members, contender, Duration.ofMillis(quick ? 300 : 1_000));
          costs.add(cost, contender);
          System.out.printf(
              "  %-40s %d processes %9.0f/s %6.2f µs of Redis%n",
              contender.label(), PROCESSES, cost.perSecond, cost.cpuMicros);
        }
      }
    } finally {
      members.forEach(Member::close);
    }
  }

  private Cost turn(List<Member> members, RedisContender contender, Duration time)
      throws IOException {
    server.command("FLUSHALL", "SYNC");
    double before = server.cpuSeconds();
    for (Member member : members) {
      member.begin(contender, time);
    }
    List<Load> loads = new ArrayList<>();
    for (Member member : members) {
      loads.add(member.end());
    }
    double cpuMicros = (server.cpuSeconds() - before) * 1e6;
    if (contender.limits()) {
      loads.forEach(load -> TRAFFIC.check(contender.label(), load.allowed()));
    }
    double perSecond = loads.stream().mapToDouble(Load::perSecond).sum();
    double[] p99 = loads.stream().mapToDouble(Load::p99Micros).toArray();
    return new Cost(perSecond, cpuMicros / (perSecond * time.toNanos() / 1e9), Rounds.median(p99));
  }

  void describe(Report report) {
    report.section("One key and a fleet");
    report.paragraph(
        "%d processes with %d threads each that send a request and wait for the response, on %s."
                .formatted(PROCESSES, CALLERS, TRAFFIC.label())
            + " They and Redis share the cores of the machine. Decisions per second of all of them"
            + " (× the usual log), and the microseconds on the processor of Redis for one.");
    report.table("", "decisions/s", "CPU µs", "p99 µs");
    for (RedisContender contender : CONTENDERS) {
      double perSecond = costs.median(Cost::perSecond, contender);
      report.row(
          contender.label(),
          "%,.0f (%.2f)"
              .formatted(
                  perSecond, perSecond / costs.median(Cost::perSecond, RedisContender.SORTED_SET)),
          "%.2f".formatted(costs.median(Cost::cpuMicros, contender)),
          "%,.0f".formatted(costs.median(Cost::p99Micros, contender)));
    }
  }

  /** A process of the fleet, seen from outside, and its {@code main}. */
  static final class Member implements Closeable {
    private final Process process;
    private final BufferedReader answers;
    private final PrintStream orders;

    private Member(Process process) {
      this.process = process;
      answers = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
      orders = new PrintStream(process.getOutputStream(), true, UTF_8);
    }

    static Member start(String uri) throws IOException {
      return new Member(
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  Member.class.getName(),
                  uri)
              .redirectError(Redirect.INHERIT)
              .start());
    }

    void begin(RedisContender contender, Duration time) {
      orders.println(contender + " " + time.toMillis());
    }

    Load end() throws IOException {
      String answer = answers.readLine();
      if (answer == null) {
        throw new IOException("a process of the fleet has ended");
      }
      String[] numbers = answer.split(" ", -1);
      return new Load(
          Double.parseDouble(numbers[0]),
          Double.parseDouble(numbers[1]),
          Double.parseDouble(numbers[2]),
          Double.parseDouble(numbers[3]));
    }

    @Override
    public void close() {
      orders.close();
      process.destroy();
    }

    /**
     * Runs a turn for each line of its input, until that ends.
     *
     * @param args the URI of Redis
     */
    public static void main(String[] args) throws IOException {
      try (Clients clients = new Clients(args[0]);
          Callers callers = new Callers(CALLERS)) {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
          String[] order = line.split(" ", -1);
          Asked asked = RedisContender.valueOf(order[0]).limiter(clients, new Task(TRAFFIC));
          Duration time = Duration.ofMillis(Long.parseLong(order[1]));
          Load load = callers.ask(asked, TRAFFIC.keys(), Duration.ZERO, time);
          System.out.printf(
              "%s %s %s %s%n",
              load.perSecond(), load.p50Micros(), load.p99Micros(), load.allowed());
        }
      }
    }
  }
}
