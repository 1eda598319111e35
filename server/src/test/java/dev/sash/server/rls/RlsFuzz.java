package dev.sash.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sash.config.Configuration;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.RlsRequest.Descriptor;
import dev.sash.server.rls.RlsRequest.Entry;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;

/**
 * What anybody may send, led by coverage. In the build each test runs on the inputs in {@code
 * RlsFuzzInputs}; CONTRIBUTING.md tells how to look for more.
 */
class RlsFuzz {
  /** The decoder reads, and refuses, what code generated from Envoy's protos does. */
  @FuzzTest(maxDuration = "1m")
  void requests(byte[] message) {
    RateLimitRequest theirs = null;
    String refusal = "";
    try {
      theirs = RateLimitRequest.parseFrom(message);
    } catch (InvalidProtocolBufferException e) {
      refusal = String.valueOf(e.getMessage());
    }
    try {
      RlsRequest ours = RlsRequest.read(CodedInputStream.newInstance(message));
      if (refusal.contains("too many levels of nesting")) {
        return; // of groups that nobody knows: each side counts the levels in its own way
      }
      assertThat(theirs).as(refusal).isNotNull();
      assertSame(ours, theirs);
    } catch (IOException e) {
      assertThat(theirs).isNull();
    }
    try {
      RlsRequest.parse(message);
    } catch (InvalidRequestException e) {
      assertThat(e).hasMessageContaining("m");
    }
  }

  private static void assertSame(RlsRequest ours, RateLimitRequest theirs) {
    assertThat(ours.domain()).isEqualTo(theirs.getDomain());
    assertThat(ours.hitsAddend()).isEqualTo(Integer.toUnsignedLong(theirs.getHitsAddend()));
    assertThat(ours.descriptors()).hasSize(theirs.getDescriptorsCount());
    for (int i = 0; i < ours.descriptors().size(); i++) {
      assertSame(ours.descriptors().get(i), theirs.getDescriptors(i));
    }
  }

  private static void assertSame(Descriptor ours, RateLimitDescriptor theirs) {
    assertThat(ours.entries())
        .isEqualTo(
            theirs.getEntriesList().stream()
                .map(entry -> new Entry(entry.getKey(), entry.getValue()))
                .toList());
    assertThat(ours.limit())
        .isEqualTo(
            theirs.hasLimit()
                ? new RlsRequest.OwnLimit(
                    Integer.toUnsignedLong(theirs.getLimit().getRequestsPerUnit()),
                    theirs.getLimit().getUnitValue())
                : null);
    assertThat(ours.hitsAddend())
        .isEqualTo(theirs.hasHitsAddend() ? theirs.getHitsAddend().getValue() : null);
  }

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

  /** Whatever is asked, there is a response with a status for each descriptor, or a refusal. */
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
    // Whether the pattern so far matches the first so many characters.
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
