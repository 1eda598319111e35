package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.server.http.HttpOptions;
import dev.sash.server.net.TlsFiles;
import dev.sash.server.rls.GrpcOptions;
import dev.sash.testkit.redis.RedisServer;
import dev.sash.testkit.redis.SelfSignedCertificate;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What gRPC clients see of a server that starts and stops. */
@Timeout(60)
class GrpcPortIT {
  private static final String YAML = "policies: {api: {limit: 100/1h}}";
  private static final String RLS = "envoy.service.ratelimit.v3.RateLimitService";

  private TestServer server;
  private ManagedChannel channel;

  private void start(Duration drainDelay) {
    start(
        YAML,
        options -> options.withGrpc(GrpcOptions.at("127.0.0.1", 0)).withDrainDelay(drainDelay));
  }

  private void start(String yaml, UnaryOperator<ServerOptions> options) {
    server = TestServer.start(yaml, options);
    InetAddress loopback = InetAddress.getLoopbackAddress();
    channel =
        NettyChannelBuilder.forAddress(new InetSocketAddress(loopback, server.server().grpcPort()))
            .usePlaintext()
            .build();
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
      channel.shutdownNow();
    }
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
    start(Duration.ofSeconds(2));
    assertThat(health("")).isEqualTo(ServingStatus.SERVING);
    Iterator<HealthCheckResponse> watched = HealthGrpc.newBlockingStub(channel).watch(of(RLS));
    assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.SERVING);

    CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);

    assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    for (String service : List.of("", RLS)) {
      assertThat(health(service)).isEqualTo(ServingStatus.NOT_SERVING);
    }
    assertThat(ask()).as("a client that has not noticed yet is still served").isEqualTo(Code.OK);
    closing.join();
    assertThatThrownBy(watched::next).hasMessageStartingWith("UNAVAILABLE");
    assertThatThrownBy(this::ask).hasMessageStartingWith("UNAVAILABLE");
  }

  @Test
  void aPortThatIsTakenIsSaid() {
    start(Duration.ZERO);
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
  void whatIsUnderWayIsAnsweredWhenTheServerStops() throws Exception {
    String yaml = "policies: {api: {limit: 9/1h, deadline: 2s, on-failure: open}}";
    try (RedisServer redis = RedisServer.start()) {
      start(
          yaml,
          options ->
              options.withGrpc(GrpcOptions.at("127.0.0.1", 0)).withRedis(List.of(redis.uri())));
      assertThat(ask()).isEqualTo(Code.OK);
      redis.pause();
      CompletableFuture<Code> underWay = CompletableFuture.supplyAsync(this::ask);
      String one = "sash_server_requests_waiting{protocol=\"grpc\"} 1.0";
      while (!underWay.isDone() && !server.get("/metrics").body().contains(one)) {
        Thread.onSpinWait();
      }
      assertThat(underWay).isNotDone();
      CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
      assertThat(underWay.join()).isEqualTo(Code.OK);
      closed.join();
      redis.resume();
    }
  }

  @Test
  void speaksTlsWithTheCertificateOfTheServer(@TempDir Path folder) throws Exception {
    SelfSignedCertificate certificate = SelfSignedCertificate.in(folder);
    TlsFiles tls = new TlsFiles(certificate.certificate(), certificate.key());
    start(YAML, options -> options.withGrpc(GrpcOptions.at("127.0.0.1", 0).withTls(tls)));
    assertThatThrownBy(this::ask).as("without TLS").hasMessageStartingWith("UNAVAILABLE");
    channel.shutdownNow();
    channel =
        NettyChannelBuilder.forAddress("localhost", server.server().grpcPort())
            .sslContext(
                GrpcSslContexts.forClient()
                    .trustManager(certificate.certificate().toFile())
                    .build())
            .build();
    assertThat(ask()).isEqualTo(Code.OK);

    TlsFiles none = new TlsFiles(folder.resolve("no.crt"), folder.resolve("no.key"));
    ServerOptions broken =
        ServerOptions.of(HttpOptions.at("127.0.0.1", 0))
            .withGrpc(GrpcOptions.at("127.0.0.1", 0).withTls(none));
    assertThatThrownBy(() -> SashServer.start(broken))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no.crt");
  }

  @Test
  void moreConnectionsThanAllowedAreClosed() throws Exception {
    start(YAML, options -> options.withGrpc(GrpcOptions.at("127.0.0.1", 0).withMaxConnections(2)));
    assertThat(ask()).isEqualTo(Code.OK);
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (Socket second = new Socket(loopback, server.server().grpcPort());
        Socket third = new Socket(loopback, server.server().grpcPort())) {
      third.setSoTimeout(30_000);
      assertThat(endsAtOnce(third)).isTrue();
      assertThat(ask()).as("the first goes on").isEqualTo(Code.OK);
      String metrics = server.get("/metrics").body();
      assertThat(metrics)
          .contains(
              "sash_server_connections{protocol=\"grpc\"} 2.0",
              "sash_server_connections_refused_total{protocol=\"grpc\"} 1.0");
      assertThat(second.isConnected()).isTrue();
    }
  }

  /** Without a byte. */
  private static boolean endsAtOnce(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  @Test
  void withoutAPortThereIsNoGrpc() {
    try (TestServer plain = TestServer.start(YAML)) {
      assertThat(plain.server().grpcPort()).isZero();
    }
  }
}
