package dev.sash.benchmarks.server;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.IntCountsHistogram;

/** Sends requests over some connections, from one thread that never sleeps. */
final class Driver implements Closeable {
  /** Makes connections. */
  interface Connector {
    Exchange connect() throws IOException;
  }

  private static final long LONGEST_NANOS = Duration.ofSeconds(30).toNanos();

  private final List<Exchange> exchanges = new ArrayList<>();
  private final long[] due;
  private final Supplier<byte[]> requests;

  Driver(int connections, Connector connector, Supplier<byte[]> requests) throws IOException {
    this.requests = requests;
    this.due = new long[connections];
    for (int i = 0; i < connections; i++) {
      exchanges.add(connector.connect());
    }
  }

  /**
   * Sends requests as fast as they are answered: every connection always has a request under way.
   *
   * @return answers a second
   */
  double flood(Duration time) throws IOException {
    long begin = System.nanoTime();
    long end = begin + time.toNanos();
    long patience = end + LONGEST_NANOS;
    for (Exchange exchange : exchanges) {
      exchange.ask(requests.get());
    }
    long answered = 0;
    int underWay = exchanges.size();
    boolean[] idle = new boolean[underWay];
    while (underWay > 0) {
      long now = System.nanoTime();
      check(now < patience);
      for (int i = 0; i < idle.length; i++) {
        if (!idle[i] && exchanges.get(i).isAnswered()) {
          answered++;
          if (now < end) {
            exchanges.get(i).ask(requests.get());
          } else {
            idle[i] = true;
            underWay--;
          }
        }
      }
    }
    return answered * 1e9 / (System.nanoTime() - begin);
  }

  /**
   * Sends requests at a steady rate, however long responses take, as long as there is a free
   * connection.
   *
   * @return the nanoseconds from when each request was due to its answer
   */
  AbstractHistogram pace(double perSecond, Duration time) throws IOException {
    AbstractHistogram latencies = new IntCountsHistogram(LONGEST_NANOS, 3);
    double interval = 1e9 / perSecond;
    long count = (long) (perSecond * time.toNanos() / 1e9);
    long begin = System.nanoTime();
    long patience = begin + time.toNanos() + LONGEST_NANOS;
    boolean[] busy = new boolean[exchanges.size()];
    long asked = 0;
    int underWay = 0;
    int next = 0;
    while (asked < count || underWay > 0) {
      long now = System.nanoTime();
      check(now < patience);
      while (asked < count && underWay < busy.length && begin + (long) (asked * interval) <= now) {
        while (busy[next]) {
          next = (next + 1) % busy.length;
        }
        due[next] = begin + (long) (asked * interval);
        busy[next] = true;
        exchanges.get(next).ask(requests.get());
        asked++;
        underWay++;
      }
      for (int i = 0; i < busy.length; i++) {
        if (busy[i] && exchanges.get(i).isAnswered()) {
          latencies.recordValue(Math.min(System.nanoTime() - due[i], LONGEST_NANOS));
          busy[i] = false;
          underWay--;
        }
      }
    }
    return latencies;
  }

  private static void check(boolean inTime) throws IOException {
    if (!inTime) {
      throw new IOException("an answer did not come within " + LONGEST_NANOS / 1e9 + " s");
    }
  }

  @Override
  public void close() throws IOException {
    for (Exchange exchange : exchanges) {
      exchange.close();
    }
  }
}
