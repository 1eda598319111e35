package dev.sash.benchmarks.server;

import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.Rounds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * What becomes of a server that holds very many keys.
 *
 * @param keys how many
 * @param perSecond answers a second for them
 * @param perSecondForFew answers a second, in turns with those, for few
 * @param p99Millis the time within which 99 % are answered at a quarter of the most
 * @param bytesBefore the memory that it had from the system before the first
 * @param bytesAfter the memory that it had afterwards
 */
record ManyKeys(
    int keys,
    double perSecond,
    double perSecondForFew,
    double p99Millis,
    long bytesBefore,
    long bytesAfter) {
  private static final int CONNECTIONS = 16;
  private static final int ROUNDS = 5;

  static ManyKeys measure(Path folder, Duration turn, int keys, int few) throws IOException {
    ServerComparison.say("many keys");
    try (ServerProcess server = SashProcess.start(folder, "many", OptionalInt.empty());
        Driver forFew = driver(server, few);
        Driver forMany = driver(server, keys);
        Driver fill = filling(server, keys)) {
      forFew.flood(turn.multipliedBy(4));
      long before = server.residentBytes();
      fill.flood(Duration.ofSeconds(10));
      Rounds<Double> rounds = new Rounds<>();
      for (int round = 0; round < ROUNDS; round++) {
        rounds.add(forMany.flood(turn), keys);
        rounds.add(forFew.flood(turn), few);
      }
      double perSecond = rounds.median(x -> x, keys);
      forMany.pace(perSecond / 4, turn.multipliedBy(2)); // or it would time its own compilation
      double p99 = forMany.pace(perSecond / 4, turn.multipliedBy(4)).getValueAtPercentile(99) / 1e6;
      return new ManyKeys(
          keys, perSecond, rounds.median(x -> x, few), p99, before, server.residentBytes());
    }
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

  double ratio() {
    return perSecond / perSecondForFew;
  }

  void tell(Report report) {
    report.paragraph(
        String.format(
            "%,d keys, each with something charged: %.2f × the answers for few, 99 %% within %.2f ms at a quarter of the most;"
                + " the process has %,d MB from the system, %,d MB before the first key.",
            keys, ratio(), p99Millis, bytesAfter >> 20, bytesBefore >> 20));
  }
}
