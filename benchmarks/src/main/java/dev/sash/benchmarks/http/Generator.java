package dev.sash.benchmarks.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.IntCountsHistogram;

/**
 * Sends requests to one application, for keys at random. One thread and as little work as possible,
 * so that the application is what is measured. Any answer but 200 is a failure.
 */
final class Generator implements AutoCloseable {
  static final int CONNECTIONS = 8;
  static final int KEYS = 1_000;

  private static final long LONGEST_NANOS = Duration.ofSeconds(60).toNanos();

  /** A thread that sleeps wakes up late by less than this. */
  private static final long OVERSLEEP_NANOS = 150_000;

  private final List<Connection> connections = new ArrayList<>();
  private final List<byte[]> requests =
      IntStream.range(0, KEYS).mapToObj(i -> request("key-" + i, i)).toList();
  private final SplittableRandom random = new SplittableRandom(KEYS);

  Generator(int port) throws IOException {
    for (int i = 0; i < CONNECTIONS; i++) {
      connections.add(new Connection(port));
    }
  }

  private static byte[] request(String key, int product) {
    return """
        GET /api/products/%d HTTP/1.1
        Host: localhost
        Accept: application/json
        X-Api-Key: %s

        """
        .formatted(product, key)
        .replace("\n", "\r\n")
        .getBytes(ISO_8859_1);
  }

  /** Sends a number of requests for one key, and returns how many were allowed. */
  int spend(String key, int count) throws IOException {
    byte[] request = request(key, 0);
    int allowed = 0;
    for (int i = 0; i < count; i++) {
      Connection connection = connections.get(i % CONNECTIONS);
      connection.send(request);
      int status = connection.receive();
      if (status != 200 && status != 429) {
        throw new IllegalStateException("status 200 or 429 was expected, was " + status);
      }
      allowed += status == 200 ? 1 : 0;
    }
    return allowed;
  }

  /**
   * Sends requests as fast as they are answered: every connection always has a request under way.
   *
   * @return how many were answered
   */
  long flood(Duration time) throws IOException {
    long end = System.nanoTime() + time.toNanos();
    for (Connection connection : connections) {
      connection.send(any());
    }
    long answered = 0;
    while (System.nanoTime() < end) {
      for (Connection connection : connections) {
        receive(connection);
        connection.send(any());
      }
      answered += CONNECTIONS;
    }
    for (Connection connection : connections) {
      receive(connection);
    }
    return answered + CONNECTIONS;
  }

  /**
   * Sends requests at a steady rate.
   *
   * @return the nanoseconds from when each request was due to its answer
   */
  AbstractHistogram pace(int perSecond, Duration time) throws IOException {
    AbstractHistogram latencies = new IntCountsHistogram(LONGEST_NANOS, 3);
    long interval = Duration.ofSeconds(1).toNanos() / perSecond;
    long start = System.nanoTime();
    long count = time.toNanos() / interval;
    for (long i = 0; i < count; i++) {
      long from = await(start + i * interval);
      Connection connection = connections.get((int) (i % CONNECTIONS));
      connection.send(any());
      receive(connection);
      latencies.recordValue(Math.min(System.nanoTime() - from, LONGEST_NANOS));
    }
    return latencies;
  }

  /**
   * Returns from when a request counts: it was due while the last one was not answered yet, and
   * waited for that; or this thread waited for it, and if it waited too long that is nobody's.
   */
  private static long await(long due) {
    long now = System.nanoTime();
    if (now >= due) {
      return due;
    }
    while (now < due) {
      long left = due - now;
      if (left > OVERSLEEP_NANOS) {
        LockSupport.parkNanos(left - OVERSLEEP_NANOS);
      } else {
        Thread.onSpinWait();
      }
      now = System.nanoTime();
    }
    return now;
  }

  private byte[] any() {
    return requests.get(random.nextInt(KEYS));
  }

  private static void receive(Connection connection) throws IOException {
    int status = connection.receive();
    if (status != 200) {
      throw new IllegalStateException("status 200 was expected, was " + status);
    }
  }

  @Override
  public void close() throws IOException {
    for (Connection connection : connections) {
      connection.close();
    }
  }
}
