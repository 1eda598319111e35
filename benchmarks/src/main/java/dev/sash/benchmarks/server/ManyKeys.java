package dev.sash.benchmarks.server;

import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.Rounds;
import dev.sash.benchmarks.http.Cores;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.HdrHistogram.AbstractHistogram;

/**
 * Latency of a server at half of its maximum throughput, for few keys and when it holds very many.
 * The server and the load generator have all cores: on one, the JIT compiler would take turns with
 * the server.
 *
 * @param few before there were many
 * @param many with requests for all of them
 * @param ratio of the answers a second for many to those for few, in turns
 * @param bytesBefore the memory that it had from the system before there were many
 * @param bytesAfter the memory that it had in the end
 */
record ManyKeys(Answers few, Answers many, double ratio, long bytesBefore, long bytesAfter) {
  private static final int CONNECTIONS = 16;
  private static final int ROUNDS = 5;
  private static final Duration TURN = Duration.ofSeconds(1);

  /** Longer than the window, so that permits expire as they do in a server that has run a while. */
  private static final Duration WARM_UP = Duration.ofSeconds(70);

  /**
   * How it answers.
   *
   * @param keys for how many keys
   * @param half requests a second, half of the most
   * @param latencies in nanoseconds, from when a request was due
   */
  record Answers(int keys, double half, AbstractHistogram latencies) {
    double millis(double percentile) {
      return latencies.getValueAtPercentile(percentile) / 1e6;
    }
  }

  /**
   * Measures.
   *
   * @param time how long at half of the most
   */
  static ManyKeys measure(Path folder, int keys, int few, Duration time) throws IOException {
    ServerComparison.say("half of the most, and many keys");
    if (Cores.canBeChosen()) {
      Cores.bind(ProcessHandle.current().pid(), Cores.ALL);
    }
    try (ServerProcess server = SashProcess.startAnywhere(folder, "many");
        Driver forFew = driver(server, few)) {
      forFew.flood(WARM_UP);
      Answers answersForFew = atHalf(forFew, few, time);
      long before = server.residentBytes();
      try (Driver fill = filling(server, keys)) {
        fill.flood(Duration.ofSeconds(10));
      }
      try (Driver forMany = driver(server, keys)) {
        Rounds<Double> rounds = new Rounds<>();
        for (int round = 0; round < ROUNDS; round++) {
          rounds.add(forMany.flood(TURN), keys);
          rounds.add(forFew.flood(TURN), few);
        }
        return new ManyKeys(
            answersForFew,
            atHalf(forMany, keys, time),
            rounds.median((a, b) -> a / b, x -> x, keys, few),
            before,
            server.residentBytes());
      }
    }
  }

  private static Answers atHalf(Driver driver, int keys, Duration time) throws IOException {
    double[] most = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      most[round] = driver.flood(TURN);
    }
    double half = Rounds.median(most) / 2;
    driver.pace(half, TURN.multipliedBy(3)); // or it would time its own compilation
    return new Answers(keys, half, driver.pace(half, time));
  }

  private static Driver driver(ServerProcess server, int keys) throws IOException {
    return new Driver(
        CONNECTIONS,
        () -> new HttpExchange(server.port()),
        Requests.forKeys(keys, Requests::check));
  }

  /** In batches, all keys one after the other, over and over. */
  private static Driver filling(ServerProcess server, int keys) throws IOException {
    int[] next = {0};
    int size = ServerComparison.BATCH_SIZE;
    return new Driver(
        1,
        () -> new HttpExchange(server.port()),
        () -> Requests.batch((next[0]++ * size) % keys, size, keys));
  }

  void tell(Report report) {
    report.paragraph(
        String.format(
            "The server and the load generator share all cores. `/v1/check` in memory, first for few keys, after %d s of as many requests as"
                + " it answers; then for %,d, each with something charged. At full load, in turns, it answers"
                + " %.2f × as often for many as for few. It has %,d MB from the system with all of them, %,d MB before.",
            WARM_UP.toSeconds(), many.keys, ratio, bytesAfter >> 20, bytesBefore >> 20));
    report.table("requests for", "requests/s", "p50 ms", "p99 ms", "p99.9 ms");
    for (Answers answers : new Answers[] {few, many}) {
      report.row(
          String.format("%,d keys", answers.keys),
          String.format("%,.0f", answers.half),
          String.format("%.2f", answers.millis(50)),
          String.format("%.2f", answers.millis(99)),
          String.format("%.2f", answers.millis(99.9)));
    }
  }
}
