package dev.sash.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sash.server.rls.RlsRequest.Descriptor;
import dev.sash.server.rls.RlsRequest.Entry;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;

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
    } catch (GrpcException e) {
      assertThat(e.status()).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
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

  /**
   * A stream in pieces gives messages that fit, or a status; the first byte says how long they are.
   */
  @FuzzTest(maxDuration = "1m")
  void frames(byte[] input) {
    if (input.length == 0) {
      return;
    }
    int piece = 1 + (input[0] & 0x7f);
    Frames frames = Frames.encoded(input[0] < 0 ? "gzip" : null);
    try {
      for (int i = 1; i < input.length; i += piece) {
        int end = Math.min(input.length, i + piece);
        frames.add(Buffer.buffer(input).getBuffer(i, end));
        for (byte[] next = frames.next(); next != null; next = frames.next()) {
          assertThat(next.length).isLessThanOrEqualTo(Frames.MAX_MESSAGE);
        }
      }
      frames.end();
    } catch (GrpcException e) {
      assertThat(e.status()).isIn(GrpcStatus.INVALID_ARGUMENT, GrpcStatus.RESOURCE_EXHAUSTED);
    }
  }
}
