package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.server.http.HttpOptions;
import dev.sash.server.rls.GrpcOptions;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What gRPC clients see of a server that starts and stops. */
@Timeout(60)
class EnvoyStopTest {
  private static final String YAML = "policies: {api: {limit: 100/1h}}";
  private static final String RLS = "envoy.service.ratelimit.v3.RateLimitService";

  private TestServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() {
    server =
        TestServer.start(
            YAML,
            options ->
                options
                    .withGrpc(GrpcOptions.at("127.0.0.1", 0))
                    .withDrainDelay(Duration.ofSeconds(2)));
    InetAddress loopback = InetAddress.getLoopbackAddress();
    channel =
        NettyChannelBuilder.forAddress(new InetSocketAddress(loopback, server.server().grpcPort()))
            .usePlaintext()
            .build();
  }

  @AfterEach
  void stop() throws InterruptedException {
    server.close();
    channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
  }

  private static HealthCheckRequest of(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }

  private ServingStatus health(String service) {
    return HealthGrpc.newBlockingStub(channel).check(of(service)).getStatus();
  }

  private Code ask() {
    RateLimitDescriptor ann =
        RateLimitDescriptor.newBuilder()
            .addEntries(RateLimitDescriptor.Entry.newBuilder().setKey("key").setValue("ann"))
            .build();
    return RateLimitServiceGrpc.newBlockingStub(channel)
        .shouldRateLimit(RateLimitRequest.newBuilder().setDomain("api").addDescriptors(ann).build())
        .getOverallCode();
  }

  @Test
  void healthIsNotServingFromTheMomentTheServerIsToldToStop() {
    assertThat(health("")).isEqualTo(ServingStatus.SERVING);
    Iterator<HealthCheckResponse> watched = HealthGrpc.newBlockingStub(channel).watch(of(RLS));
    assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.SERVING);

    CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);

    assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    for (String service : List.of("", RLS)) {
      assertThat(health(service)).isEqualTo(ServingStatus.NOT_SERVING);
    }
    assertThat(ask()).as("whoever has not noticed yet is still served").isEqualTo(Code.OK);
    closing.join();
    assertThatThrownBy(watched::next).hasMessageStartingWith("UNAVAILABLE");
    assertThatThrownBy(this::ask).hasMessageStartingWith("UNAVAILABLE");
  }

  @Test
  void aPortThatIsTakenIsSaid() {
    ServerOptions taken =
        ServerOptions.of(HttpOptions.at("127.0.0.1", 0))
            .withGrpc(GrpcOptions.at("127.0.0.1", server.server().grpcPort()));
    assertThatThrownBy(() -> SashServer.start(taken))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("in use");
    assertThatThrownBy(() -> GrpcOptions.at("127.0.0.1", 65_536))
        .hasMessage("port must be between 0 and 65535, was 65536");
  }

  @Test
  void withoutAPortThereIsNoGrpc() {
    try (TestServer plain = TestServer.start(YAML)) {
      assertThat(plain.server().grpcPort()).isZero();
    }
  }
}
