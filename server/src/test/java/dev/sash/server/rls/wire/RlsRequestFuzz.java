package dev.sash.server.rls.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;
import dev.sash.server.rls.wire.RlsRequest.Entry;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.io.IOException;

/**
 * Messages that anybody may send. In the build the test runs on the inputs in {@code
 * RlsRequestFuzzInputs}; CONTRIBUTING.md describes how to look for more.
 */
class RlsRequestFuzz {
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
}
