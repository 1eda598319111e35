package dev.sash.server.rls;

import static dev.sash.server.rls.domain.EnvoyFiles.any;
import static dev.sash.server.rls.domain.EnvoyFiles.minutely;
import static dev.sash.server.rls.domain.EnvoyFiles.named;
import static dev.sash.server.rls.domain.EnvoyFiles.shadow;
import static dev.sash.server.rls.domain.EnvoyFiles.shop;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.UInt64Value;
import com.google.protobuf.UnknownFieldSet;
import dev.sash.config.envoy.RlsCharging;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stub made from Envoy's own protos, over HTTP/2. */
@Timeout(120)
class RlsServiceIT {
  private static final AtomicInteger USERS = new AtomicInteger();
  private static RlsServer server;
  private static RlsServer eachServer;

  private final String user = "user-" + USERS.incrementAndGet();

  @BeforeAll
  static void start() {
    server =
        new RlsServer(
            shop(
                any("user", named("per-user", 50)),
                any("other", minutely(1_000_000)),
                any("none", minutely(0)),
                shadow("watched", minutely(1))));
    eachServer =
        new RlsServer(shop(RlsCharging.EACH, any("user", minutely(50)), any("none", minutely(0))));
  }

  @AfterAll
  static void stop() {
    server.close();
    eachServer.close();
  }

  static RateLimitDescriptor.Builder descriptor(String key, String value) {
    return RateLimitDescriptor.newBuilder()
        .addEntries(Entry.newBuilder().setKey(key).setValue(value));
  }

  static RateLimitRequest request(RateLimitDescriptor.Builder... descriptors) {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("shop");
    for (RateLimitDescriptor.Builder descriptor : descriptors) {
      request.addDescriptors(descriptor);
    }
    return request.build();
  }

  private static RateLimitResponse call(RlsServer server, RateLimitRequest request) {
    return RateLimitServiceGrpc.newBlockingStub(server.channel).shouldRateLimit(request);
  }

  private static RateLimitResponse call(RateLimitDescriptor.Builder... descriptors) {
    return call(server, request(descriptors));
  }

  private static Status statusOf(RateLimitRequest request) {
    try {
      call(server, request);
      throw new AssertionError("no error");
    } catch (StatusRuntimeException e) {
      return e.getStatus();
    }
  }

  /** Those of 200 parallel requests that are admitted. */
  static long admittedOfTwoHundred(RlsServer server, RateLimitRequest request) throws Exception {
    var stub = RateLimitServiceGrpc.newFutureStub(server.channel);
    List<Future<RateLimitResponse>> answers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      answers.add(stub.shouldRateLimit(request));
    }
    long admitted = 0;
    for (Future<RateLimitResponse> answer : answers) {
      admitted += answer.get().getOverallCode() == Code.OK ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void answersWithEnvoysMessages() {
    RateLimitResponse response = call(descriptor("user", user), descriptor("nobody", "x"));

    assertThat(response.getOverallCode()).isEqualTo(Code.OK);
    assertThat(response.getStatusesCount()).isEqualTo(2);
    DescriptorStatus status = response.getStatuses(0);
    assertThat(status.getCode()).isEqualTo(Code.OK);
    assertThat(status.getCurrentLimit())
        .isEqualTo(
            RateLimit.newBuilder()
                .setRequestsPerUnit(50)
                .setUnit(RateLimit.Unit.MINUTE)
                .setName("per-user")
                .build());
    assertThat(status.getLimitRemaining()).isEqualTo(49);
    assertThat(status.getDurationUntilReset().getSeconds()).isBetween(1L, 60L);
    assertThat(response.getStatuses(1))
        .isEqualTo(DescriptorStatus.newBuilder().setCode(Code.OK).build());
    assertThat(response.getUnknownFields().asMap()).isEmpty();
    assertThat(status.getUnknownFields().asMap()).isEmpty();
  }

  @RepeatedTest(20)
  void ofTwoHundredParallelRequestsExactlyFiftyAreAdmitted() throws Exception {
    assertThat(admittedOfTwoHundred(server, request(descriptor("user", user)))).isEqualTo(50);
  }

  @RepeatedTest(20)
  void ofTwoHundredWithTwoDescriptorsExactlyFiftyAreAdmittedAndNoOthersCharged() throws Exception {
    RateLimitRequest both = request(descriptor("other", user), descriptor("user", user));

    assertThat(admittedOfTwoHundred(server, both)).isEqualTo(50);
    assertThat(call(descriptor("other", user)).getStatuses(0).getLimitRemaining())
        .isEqualTo(1_000_000 - 51);
  }

  @Test
  void aDenialLeavesTheOthersUnchargedUnlessEachIsConfigured() {
    RateLimitRequest denied = request(descriptor("user", user), descriptor("none", "x"));

    assertThat(call(server, denied).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(call(eachServer, denied).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    RateLimitRequest next = request(descriptor("user", user));
    assertThat(call(server, next).getStatuses(0).getLimitRemaining()).isEqualTo(49);
    assertThat(call(eachServer, next).getStatuses(0).getLimitRemaining()).isEqualTo(48);
  }

  @Test
  void ownLimitsHitsAndShadowsTravelOverTheWire() {
    RateLimitDescriptor.RateLimitOverride two =
        RateLimitDescriptor.RateLimitOverride.newBuilder()
            .setRequestsPerUnit(2)
            .setUnitValue(7) // younger than the stub
            .build();
    DescriptorStatus own = call(descriptor("user", user).setLimit(two)).getStatuses(0);
    assertThat(own.getCurrentLimit().getUnit()).isEqualTo(RateLimit.Unit.WEEK);
    assertThat(own.getLimitRemaining()).isEqualTo(1);

    RateLimitDescriptor.Builder ten = descriptor("user", user).setHitsAddend(UInt64Value.of(10));
    assertThat(call(ten).getStatuses(0).getLimitRemaining()).isEqualTo(40);
    // Younger than the stub: is_negative_hits.
    UnknownFieldSet negative =
        UnknownFieldSet.newBuilder()
            .addField(4, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build();
    assertThat(call(ten.setUnknownFields(negative)).getStatuses(0).getLimitRemaining())
        .isEqualTo(50);
    RateLimitRequest five = request(descriptor("user", user)).toBuilder().setHitsAddend(5).build();
    assertThat(call(server, five).getStatuses(0).getLimitRemaining()).isEqualTo(45);

    call(descriptor("watched", user));
    assertThat(call(descriptor("watched", user)).getOverallCode()).isEqualTo(Code.OK);
  }

  @Test
  void whatMustBeThereAndIsNotIsSaid() {
    Status noDomain = statusOf(request(descriptor("user", user)).toBuilder().setDomain("").build());
    assertThat(noDomain.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(noDomain.getDescription()).isEqualTo("rate limit domain must not be empty");

    assertThat(statusOf(request()).getDescription())
        .isEqualTo("rate limit descriptor list must not be empty");
    assertThat(statusOf(request(RateLimitDescriptor.newBuilder())).getDescription())
        .isEqualTo("rate limit descriptor 0 must have an entry");

    RateLimitDescriptor.Builder[] many = new RateLimitDescriptor.Builder[257];
    Arrays.fill(many, descriptor("user", user));
    assertThat(statusOf(request(many)).getDescription())
        .isEqualTo("rate limit descriptors must be at most 256, were 257");
  }

  @Test
  void packedRequestsAreUnpacked() {
    RateLimitResponse response =
        RateLimitServiceGrpc.newBlockingStub(server.channel)
            .withCompression("gzip")
            .shouldRateLimit(request(descriptor("user", user)));

    assertThat(response.getStatuses(0).getLimitRemaining()).isEqualTo(49);
  }

  @Test
  void aRequestThatIsTooLongIsRefused() {
    Status status = statusOf(request(descriptor("user", "x".repeat(70_000))));

    assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(status.getDescription()).contains("exceeds maximum size 65536");
    assertThat(call(descriptor("user", user)).getOverallCode()).isEqualTo(Code.OK);
  }

  @Test
  void aDeadlineThatIsFarAwayChangesNothing() {
    RateLimitResponse response =
        RateLimitServiceGrpc.newBlockingStub(server.channel)
            .withDeadlineAfter(1, TimeUnit.MINUTES)
            .shouldRateLimit(request(descriptor("user", user)));

    assertThat(response.getOverallCode()).isEqualTo(Code.OK);
  }

  @Test
  void aMethodThatIsNotThereIsUnimplemented() {
    var unknown =
        RateLimitServiceGrpc.getShouldRateLimitMethod().toBuilder()
            .setFullMethodName("envoy.service.ratelimit.v2.RateLimitService/ShouldRateLimit")
            .build();
    assertThatThrownBy(
            () ->
                ClientCalls.blockingUnaryCall(
                    server.channel,
                    unknown,
                    CallOptions.DEFAULT,
                    request(descriptor("user", user))))
        .hasMessageStartingWith("UNIMPLEMENTED: Method not found");
  }
}
