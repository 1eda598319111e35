package dev.sash.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.testkit.PageExamples;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.observation.Observation;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/metrics.md lists exactly the meters and observations that exist. */
class MetricsDocTest {
  private static final Path PAGE = Path.of("..", "docs", "metrics.md");
  private static final Pattern METER =
      Pattern.compile("^\\| `(sash[a-z.]+)` \\| (\\w+) \\| ([a-z`, ]+) \\|", Pattern.MULTILINE);
  private static final Pattern SERIES = Pattern.compile("\\bsash_[a-z_]+");
  private static final Pattern TAG_VALUE = Pattern.compile("(outcome|source)=~?\"([a-z_|]+)\"");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Observations seen = new Observations();

  /** Uses everything once, with histograms as the page describes. */
  private void useEverything() {
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public DistributionStatisticConfig configure(
                  Meter.Id id, DistributionStatisticConfig config) {
                return DistributionStatisticConfig.builder()
                    .percentilesHistogram(true)
                    .build()
                    .merge(config);
              }
            });
    SashMeters meters = new SashMeters(registry, seen.registry());
    meters.watchStore("main", () -> true);
    RateLimiter memory =
        meters.instrument(InMemoryStore.create()).limiter(Policy.of("m", Limit.parse("5/1m")));
    StubStore stub = new StubStore();
    stub.returns(StubStore.allowed(Source.STORE));
    for (RateLimiter limiter : new RateLimiter[] {memory, stub.limiter(meters)}) {
      limiter.tryAcquire("k");
      limiter.peek("k");
      limiter.charge("k", 1);
      limiter.inspect("k");
      limiter.refund("k", 1);
      limiter.reset("k");
    }
  }

  @Test
  void listsExactlyTheMetersAndObservationsThereAre() throws IOException {
    useEverything();
    Set<String> there = new TreeSet<>();
    for (Meter meter : registry.getMeters()) {
      String tags = meter.getId().getTags().stream().map(Tag::getKey).sorted().toList().toString();
      String type = meter.getId().getType().name().toLowerCase(Locale.ROOT);
      there.add(meter.getId().getName() + " " + type + " " + tags);
    }
    for (Observation.Context context : seen.stopped()) {
      String keys =
          context.getAllKeyValues().stream().map(KeyValue::getKey).sorted().toList().toString();
      there.add(context.getName() + " observation " + keys);
    }
    assertThat(documented()).isEqualTo(there);
  }

  @Test
  void asksPrometheusOnlyForSeriesAndTagsThatExist() throws IOException {
    useEverything();
    String scraped = registry.scrape();
    Set<String> asked = find(SERIES, page(), 0);
    assertThat(asked).contains("sash_decisions_total", "sash_store_latency_seconds_bucket");
    for (String series : asked) {
      assertThat(scraped).containsPattern("(?m)^" + series + "[{ ]");
    }
    Matcher values = TAG_VALUE.matcher(page());
    int found = 0;
    while (values.find()) {
      for (String value : values.group(2).split("\\|", -1)) {
        assertThat(scraped).contains(values.group(1) + "=\"" + value + "\"");
        found++;
      }
    }
    assertThat(found).isPositive();
  }

  @Test
  void theExampleCompilesAndRuns(@TempDir Path folder) throws Exception {
    PageExamples examples = new PageExamples(PAGE, folder);
    assertThat(examples.sources()).hasSize(1);
    assertThat(examples.run(examples.sources().get(0))).isEqualTo("3.0 denied");
  }

  @Test
  void everyMeterHasAQueryAndEverySourceAnExplanation() throws IOException {
    useEverything();
    Set<String> asked = find(SERIES, page(), 0);
    for (Meter meter : registry.getMeters()) {
      String start = meter.getId().getName().replace('.', '_');
      assertThat(asked).anyMatch(series -> series.startsWith(start));
    }
    for (Source source : Source.values()) {
      assertThat(page()).contains("| `" + source.name().toLowerCase(Locale.ROOT) + "` |");
    }
  }

  private static String page() throws IOException {
    return Files.readString(PAGE);
  }

  private static Set<String> documented() throws IOException {
    Set<String> rows = new TreeSet<>();
    Matcher row = METER.matcher(page());
    while (row.find()) {
      rows.add(row.group(1) + " " + row.group(2) + " " + sorted(row.group(3)));
    }
    return rows;
  }

  private static String sorted(String tags) {
    return find(Pattern.compile("`([a-z]+)`"), tags, 1).toString();
  }

  private static Set<String> find(Pattern pattern, String text, int group) {
    return pattern
        .matcher(text)
        .results()
        .map(result -> result.group(group))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
