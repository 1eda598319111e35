package dev.sash.server.rls.domain;

import static dev.sash.server.rls.domain.EnvoyFiles.any;
import static dev.sash.server.rls.domain.EnvoyFiles.minutely;
import static dev.sash.server.rls.domain.EnvoyFiles.shadow;
import static dev.sash.server.rls.domain.EnvoyFiles.shop;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sash.config.Configuration;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.engine.Engine;
import dev.sash.server.override.OverrideLookup;
import dev.sash.server.rls.counter.TimeLimit;
import dev.sash.server.rls.wire.RlsRequest;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;
import dev.sash.server.rls.wire.RlsRequest.OwnLimit;
import dev.sash.server.statistics.Denial;
import dev.sash.server.statistics.KeyMode;
import dev.sash.server.statistics.Measure;
import dev.sash.server.statistics.PolicyCounts;
import dev.sash.server.statistics.Statistics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Statistics of what Envoy asks. */
class RecordedDecisionsTest {
  private static final int HOUR = 3;

  private final Statistics statistics = new Statistics(KeyMode.SHOWN, InstantSource.system());

  private void ask(
      Configuration configuration, String domain, @Nullable OwnLimit limit, String... entries) {
    Engine engine =
        new Engine(
            InMemoryStore.create(), "memory", configuration, statistics, OverrideLookup.NONE);
    Decider decider =
        new Decider(
            engine, Duration.ofSeconds(30), new DescriptorMeters(new SimpleMeterRegistry()));
    for (String entry : entries) {
      Descriptor descriptor = new Descriptor(EnvoyFiles.entries(entry), limit, null, false);
      RlsRequest request = new RlsRequest(domain, List.of(descriptor), 0);
      decider.decide(request, TimeLimit.NONE).toCompletableFuture().join();
    }
  }

  private long count(String policy, Measure measure) {
    return counts(policy).of(measure).day();
  }

  private PolicyCounts counts(String policy) {
    return Objects.requireNonNull(statistics.counts(policy), policy);
  }

  @Test
  void aPolicyCountsUnderItsName() {
    Configuration policies =
        Configuration.parse("policies: {api: {limit: 1/1h, key: user}}", "sash.yaml");
    ask(policies, "api", null, "user=ann", "user=ann", "user=bob");
    assertThat(count("api", Measure.ALLOWED)).isEqualTo(2);
    assertThat(count("api", Measure.DENIED)).isEqualTo(1);
  }

  @Test
  void aDomainOfAFileCountsUnderItsOwnName() {
    ask(shop(any("user", minutely(1))), "shop", null, "user=ann", "user=ann", "user=bob");
    assertThat(count("_rls.shop", Measure.ALLOWED)).isEqualTo(2);
    assertThat(count("_rls.shop", Measure.DENIED)).isEqualTo(1);
    assertThat(statistics.denials("_rls.shop", 9))
        .extracting(Denial::key)
        .containsExactly("(shop|user|ann)");
  }

  @Test
  void aShadowLimitOfAFileWouldDeny() {
    ask(shop(shadow("user", minutely(1))), "shop", null, "user=ann", "user=ann");
    assertThat(count("_rls.shop", Measure.ALLOWED)).isEqualTo(2);
    assertThat(count("_rls.shop", Measure.DENIED)).isZero();
    assertThat(count("_rls.shop", Measure.WOULD_DENY)).isEqualTo(1);
  }

  @Test
  void aLimitOfZeroDeniesWithoutTheStore() {
    ask(shop(any("user", minutely(0))), "shop", null, "user=ann");
    ask(shop(shadow("user", minutely(0))), "shop", null, "user=bob");
    assertThat(count("_rls.shop", Measure.DENIED)).isEqualTo(1);
    assertThat(count("_rls.shop", Measure.WOULD_DENY)).isEqualTo(1);
    assertThat(statistics.denials(null, 9))
        .extracting(Denial::key, Denial::limit)
        .containsExactly(tuple("(shop|user|bob)", null), tuple("(shop|user|ann)", null));
  }

  @Test
  void aLimitOfTheRequestCountsUnderTheDomain() {
    OwnLimit limit = new OwnLimit(1, HOUR);
    ask(shop(any("user", minutely(9))), "shop", limit, "user=ann", "user=ann");
    assertThat(count("_rls.shop", Measure.ALLOWED)).isEqualTo(1);
    assertThat(count("_rls.shop", Measure.DENIED)).isEqualTo(1);
  }
}
