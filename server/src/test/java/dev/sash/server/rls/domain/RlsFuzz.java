package dev.sash.server.rls.domain;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sash.config.Configuration;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.counter.TimeLimit;
import dev.sash.server.rls.wire.InvalidRequestException;
import dev.sash.server.rls.wire.RlsRequest;
import dev.sash.server.rls.wire.RlsResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;

/**
 * Decisions about messages that anybody may send. In the build each test runs on the inputs in
 * {@code RlsFuzzInputs}; CONTRIBUTING.md describes how to look for more.
 */
class RlsFuzz {
  private static final Configuration CONFIGURATION =
      Configuration.parse(
          """
          domain: d
          descriptors:
            - key: a
              value: x*y*z
              share_threshold: true
              value_to_metric: true
              metadata: {a: {b: [1, yes]}}
              rate_limit: {unit: second, requests_per_unit: 3}
              descriptors:
                - {key: b, detailed_metric: true, rate_limit: {unit: day, requests_per_unit: 9}}
            - {key: a, quota_mode: true, rate_limit: {unit: hour, requests_per_unit: 5, name: n}}
            - {key: b, shadow_mode: true, rate_limit: {unit: week, requests_per_unit: 0}}
            - {key: c, rate_limit: {unlimited: true, replaces: [{name: n}]}}
          """,
          "fuzz.yaml");

  /** Every request has a response with a status for each descriptor, or a refusal. */
  @FuzzTest(maxDuration = "1m")
  void decisions(byte[] message) throws IOException {
    Engine engine = new Engine(InMemoryStore.create(), "memory", CONFIGURATION);
    DescriptorMeters meters = new DescriptorMeters(new SimpleMeterRegistry());
    Decider decider = new Decider(engine, Duration.ofSeconds(1), meters);
    RlsResponse ours;
    int descriptors;
    try {
      RlsRequest request = RlsRequest.parse(message);
      descriptors = request.descriptors().size();
      ours = decider.decide(request, TimeLimit.NONE).toCompletableFuture().join();
    } catch (InvalidRequestException e) {
      return;
    }
    RateLimitResponse theirs = RateLimitResponse.parseFrom(ours.toBytes());
    assertThat(theirs.getStatusesCount()).isEqualTo(descriptors);
    assertThat(theirs.getOverallCode() == RateLimitResponse.Code.OVER_LIMIT)
        .isEqualTo(ours.overLimit());
    assertThat(theirs.getDynamicMetadata()).isEqualTo(ours.metadata());
  }

  /** The same as a search through all possibilities. */
  @FuzzTest(maxDuration = "1m")
  void wildcards(FuzzedDataProvider data) {
    String pattern = data.consumeString(12);
    String value = data.consumeString(24);
    if (Wildcard.isWildcard(pattern)) {
      assertThat(Wildcard.of(pattern).matches(value)).isEqualTo(matches(pattern, value));
    }
  }

  private static boolean matches(String pattern, String value) {
    // Whether the pattern so far matches the first i characters.
    boolean[] reached = new boolean[value.length() + 1];
    reached[0] = true;
    for (int p = 0; p < pattern.length(); p++) {
      char c = pattern.charAt(p);
      boolean[] next = new boolean[reached.length];
      for (int i = 0; i < next.length; i++) {
        next[i] =
            c == '*'
                ? reached[i] || (i > 0 && next[i - 1])
                : i > 0 && reached[i - 1] && value.charAt(i - 1) == c;
      }
      reached = next;
    }
    return reached[value.length()];
  }
}
