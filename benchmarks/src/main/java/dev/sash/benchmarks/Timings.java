package dev.sash.benchmarks;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs JMH and keeps, for every case, the median time of its iterations over all forks, in
 * nanoseconds, and the bytes allocated per call. The median: a pause of the machine spoils the mean
 * of a whole run.
 */
final class Timings {
  /**
   * One case.
   *
   * @param nanos the median time of a call
   * @param bytes what a call allocates
   */
  record Timing(double nanos, double bytes) {}

  private final boolean quick;
  private final Map<String, Timing> timings = new LinkedHashMap<>();

  Timings(boolean quick) {
    this.quick = quick;
  }

  /**
   * Runs a benchmark with every combination of values.
   *
   * @param benchmark class and method, such as {@code HotKeyBench.decide}
   * @param threads how many at a time
   * @param params name and values of a parameter in turn; those not named take all their values
   */
  void run(String benchmark, int threads, Map<String, String[]> params) {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("\\." + benchmark.replace(".", "[.$]") + "$")
            .threads(threads)
            .forks(quick ? 1 : 2)
            .warmupIterations(quick ? 2 : 3)
            .warmupTime(TimeValue.milliseconds(quick ? 250 : 400))
            .measurementIterations(quick ? 3 : 5)
            .measurementTime(TimeValue.milliseconds(quick ? 200 : 400))
            // Pages of the heap that were never touched cost the first allocation in them.
            .jvmArgs("-Xms1536m", "-Xmx1536m", "-XX:+AlwaysPreTouch")
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    params.forEach(options::param);
    try {
      Collection<RunResult> results = new Runner(options.build()).run();
      for (RunResult result : results) {
        keep(benchmark, threads, result);
      }
    } catch (RunnerException e) {
      throw new IllegalStateException("benchmark " + benchmark + " failed", e);
    }
  }

  /** The timing of one case; values in the order of the parameters' names. */
  Timing of(String benchmark, int threads, Object... values) {
    String name = name(benchmark, threads, values);
    return Objects.requireNonNull(timings.get(name), () -> name + " not in " + timings.keySet());
  }

  private void keep(String benchmark, int threads, RunResult result) {
    Object[] values =
        result.getParams().getParamsKeys().stream()
            .sorted()
            .map(result.getParams()::getParam)
            .toArray();
    double bytes = 0;
    for (Map.Entry<String, ? extends Result<?>> entry : secondary(result).entrySet()) {
      if (entry.getKey().endsWith("gc.alloc.rate.norm")) {
        bytes = entry.getValue().getScore();
      }
    }
    double nanos = result.getPrimaryResult().getStatistics().getPercentile(50);
    String name = name(benchmark, threads, values);
    timings.put(name, new Timing(nanos, bytes));
    System.out.printf("  %-60s %9.1f ns %7.1f B%n", name, nanos, bytes);
  }

  @SuppressWarnings("unchecked") // JMH declares the raw type
  private static Map<String, ? extends Result<?>> secondary(RunResult result) {
    return (Map<String, ? extends Result<?>>) (Map<String, ?>) result.getSecondaryResults();
  }

  private static String name(String benchmark, int threads, Object... values) {
    StringBuilder name = new StringBuilder(benchmark).append(" x").append(threads);
    for (Object value : values) {
      name.append(' ').append(value);
    }
    return name.toString();
  }
}
