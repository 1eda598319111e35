package dev.sash.benchmarks.http;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.AbstractHistogram;

/** All contenders at once, each in its process; one at a time receives requests. */
final class Contest implements AutoCloseable {
  /**
   * Under full load.
   *
   * @param answered requests
   * @param seconds in which they were answered
   * @param cpuSeconds in which the application's process had a processor meanwhile
   */
  record Flood(long answered, double seconds, double cpuSeconds) {
    double perSecond() {
      return answered / seconds;
    }
  }

  /**
   * Asked at a steady rate.
   *
   * @param p50Micros the time that half of the requests took at most
   * @param p99Micros the time that 99 of 100 took at most
   */
  record Pace(double p50Micros, double p99Micros) {
    static Pace of(AbstractHistogram nanos) {
      return new Pace(nanos.getValueAtPercentile(50) / 1e3, nanos.getValueAtPercentile(99) / 1e3);
    }
  }

  /** In a minute, for each key: more than a run ever spends on one. */
  static final int PERMITS = 2_000;

  private static final int TOO_MANY = 50;

  /** With a third of it, requests still took half as long again as later on. */
  private static final int WARM_UP_REQUESTS = 200_000;

  private final Map<HttpContender, Application> applications = new EnumMap<>(HttpContender.class);
  private final Map<HttpContender, Generator> generators = new EnumMap<>(HttpContender.class);

  private Contest() {}

  /** Starts all, which then have whatever core they like. */
  static Contest start(String redisUri, List<HttpContender> contenders) throws IOException {
    Contest contest = new Contest();
    try {
      for (HttpContender contender : contenders) {
        contest.applications.put(contender, Application.start(contender, PERMITS, redisUri));
      }
      for (HttpContender contender : contenders) {
        contest.generators.put(
            contender, new Generator(contest.application(contender).awaitPort()));
      }
      return contest;
    } catch (IOException | RuntimeException e) {
      contest.close();
      throw e;
    }
  }

  /** Lets all show that they limit, and then warms them up; all at once, as it takes long. */
  void proveAndWarmUp() {
    ExecutorService threads = Executors.newFixedThreadPool(generators.size());
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (HttpContender contender : generators.keySet()) {
        tasks.add(
            () -> {
              prove(contender);
              warmUp(contender);
              return null;
            });
      }
      for (Future<Void> task : threads.invokeAll(tasks)) {
        task.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a contender failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } finally {
      threads.shutdownNow();
    }
  }

  /** By the very limit that is measured: it would be quick not to limit. */
  private void prove(HttpContender contender) throws IOException {
    int requests = PERMITS + TOO_MANY;
    long begin = System.nanoTime();
    int allowed = generator(contender).spend("proof", requests);
    int expected = contender.limits() ? PERMITS : requests;
    long seconds = 1 + Duration.ofNanos(System.nanoTime() - begin).toSeconds();
    long refilled = contender.refills() ? seconds : 0;
    if (allowed < expected || allowed > expected + refilled) {
      throw new IllegalStateException(
          "%s allowed %d of %d requests, expected %d"
              .formatted(contender.label(), allowed, requests, expected));
    }
  }

  private void warmUp(HttpContender contender) throws IOException {
    for (long answered = 0; answered < WARM_UP_REQUESTS; ) {
      answered += generator(contender).flood(Duration.ofMillis(100));
    }
  }

  /** Gives all applications one core, which each has to itself while only it receives requests. */
  void bind() {
    for (Application application : applications.values()) {
      if (!Cores.bind(application.pid(), Cores.OF_APPLICATION)) {
        throw new IllegalStateException("the application cannot be bound to a core");
      }
    }
  }

  Flood flood(HttpContender contender, Duration time) throws IOException {
    Application application = application(contender);
    Duration cpuBefore = application.cpuTime();
    long begin = System.nanoTime();
    long answered = generator(contender).flood(time);
    double seconds = (System.nanoTime() - begin) / 1e9;
    return new Flood(answered, seconds, application.cpuTime().minus(cpuBefore).toNanos() / 1e9);
  }

  Pace pace(HttpContender contender, int perSecond, Duration time) throws IOException {
    return Pace.of(generator(contender).pace(perSecond, time));
  }

  private Application application(HttpContender contender) {
    return Objects.requireNonNull(applications.get(contender));
  }

  private Generator generator(HttpContender contender) {
    return Objects.requireNonNull(generators.get(contender));
  }

  @Override
  public void close() throws IOException {
    applications.values().forEach(Application::close);
    for (Generator generator : generators.values()) {
      generator.close();
    }
  }
}
