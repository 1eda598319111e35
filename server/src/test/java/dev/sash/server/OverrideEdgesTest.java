package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.resp.RespOptions;
import dev.sash.server.rls.GrpcOptions;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An override applies to a key, over whatever protocol its requests come. */
class OverrideEdgesTest {
  private static final String YAML =
      """
      policies: {api: {limit: 2/1h, key: ip}}
      trusted-proxies: [127.0.0.1]
      forwarded-by: traefik
      """;

  private static TestServer server;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            YAML,
            options ->
                options
                    .withGrpc(GrpcOptions.at("127.0.0.1", 0))
                    .withResp(RespOptions.builder().host("127.0.0.1").port(0).build()));
    channel =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.server().grpcPort()))
            .usePlaintext()
            .build();
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    server.close();
  }

  private static void override(String address, String effect) {
    String body =
        "{\"key\":\"ip:%s\",%s,\"reason\":\"test\",\"author\":\"ann\"}".formatted(address, effect);
    assertThat(
            TestServer.send(server.request("/v1/overrides/api").PUT(BodyPublishers.ofString(body)))
                .statusCode())
        .isEqualTo(200);
  }

  private static HttpResponse<String> forwardAuth(String address) {
    return TestServer.send(
        server.request("/v1/forward-auth/api").header("X-Forwarded-For", address));
  }

  private static Code rls(String address) {
    RateLimitRequest request =
        RateLimitRequest.newBuilder()
            .setDomain("api")
            .addDescriptors(
                RateLimitDescriptor.newBuilder()
                    .addEntries(Entry.newBuilder().setKey("remote_address").setValue(address)))
            .build();
    return RateLimitServiceGrpc.newBlockingStub(channel).shouldRateLimit(request).getOverallCode();
  }

  private static String resp(String address) throws IOException {
    try (RawConnection connection = new RawConnection(server.server().respPort())) {
      return connection.send("SASH.CHECK api ip:" + address + "\r\nQUIT\r\n").until("+OK");
    }
  }

  @Test
  void blocks() throws IOException {
    override("192.0.2.1", "\"effect\":\"block\"");

    HttpResponse<String> denied = forwardAuth("192.0.2.1");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.body()).contains("Denied by policy api.");
    assertThat(rls("192.0.2.1")).isEqualTo(Code.OVER_LIMIT);
    assertThat(resp("192.0.2.1")).startsWith("*6\r\n:0\r\n").contains("\r\nblocked\r\n");
    assertThat(server.get("/v1/check/api/ip:192.0.2.1").statusCode()).isEqualTo(429);
    assertThat(forwardAuth("192.0.2.2").statusCode()).isEqualTo(200);
  }

  @Test
  void admitsWithoutLimit() throws IOException {
    override("192.0.2.3", "\"effect\":\"unlimited\"");

    for (int i = 0; i < 4; i++) {
      assertThat(forwardAuth("192.0.2.3").statusCode()).isEqualTo(200);
      assertThat(rls("192.0.2.3")).isEqualTo(Code.OK);
      assertThat(resp("192.0.2.3")).startsWith("*6\r\n:1\r\n").contains("\r\nunlimited\r\n");
    }
  }

  @Test
  void raisesLimitsForAllProtocolsTogether() throws IOException {
    override("192.0.2.4", "\"limits\":[\"4/1h\"]");

    assertThat(forwardAuth("192.0.2.4").statusCode()).isEqualTo(200);
    assertThat(rls("192.0.2.4")).isEqualTo(Code.OK);
    assertThat(resp("192.0.2.4")).startsWith("*6\r\n:1\r\n:4\r\n:1\r\n");
    assertThat(server.get("/v1/check/api/ip:192.0.2.4").statusCode()).isEqualTo(200);
    assertThat(forwardAuth("192.0.2.4").statusCode()).isEqualTo(429);
    assertThat(rls("192.0.2.4")).isEqualTo(Code.OVER_LIMIT);
    assertThat(resp("192.0.2.4")).startsWith("*6\r\n:0\r\n:4\r\n:0\r\n");
  }
}
