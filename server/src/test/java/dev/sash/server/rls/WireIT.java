package dev.sash.server.rls;

import static dev.sash.server.rls.domain.EnvoyFiles.any;
import static dev.sash.server.rls.domain.EnvoyFiles.minutely;
import static dev.sash.server.rls.domain.EnvoyFiles.shop;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What no stub would send: each has a clear answer, and none keeps the next from its own. */
@Timeout(60)
class WireIT {
  private static final String PATH = "/" + RlsService.NAME + "/ShouldRateLimit";
  private static final byte[] MESSAGE =
      RlsServiceIT.request(RlsServiceIT.descriptor("user", "ann")).toByteArray();

  private static RlsServer server;
  private static RlsServer silent;

  @BeforeAll
  static void start() {
    server = new RlsServer(shop(any("user", minutely(1_000))));
    silent = new RlsServer(new SilentStore(), shop(any("user", minutely(5))));
  }

  @AfterAll
  static void stop() {
    silent.close();
    server.close();
  }

  /** A store that never responds. */
  private static final class SilentStore implements Store {
    @Override
    public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
      throw new UnsupportedOperationException("only asynchronous requests are expected");
    }

    @Override
    public CompletionStage<Decision> decideAsync(
        Operation operation, ResolvedLimits limits, String key, long permits) {
      return new CompletableFuture<>();
    }

    @Override
    public boolean isUp() {
      return false;
    }
  }

  /** A call with any bytes in place of a message. */
  private static byte[] call(byte[] message) {
    MethodDescriptor<byte[], byte[]> method =
        MethodDescriptor.newBuilder(Bytes.MARSHALLER, Bytes.MARSHALLER)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(RlsService.NAME + "/ShouldRateLimit")
            .build();
    return ClientCalls.blockingUnaryCall(server.channel, method, CallOptions.DEFAULT, message);
  }

  private static String status(RlsServer to, String... fields) throws Exception {
    try (RawHttp2 connection = new RawHttp2(to.port)) {
      int stream = connection.call(PATH, MESSAGE, fields);
      connection.flush();
      return connection.await(stream);
    }
  }

  @Test
  void whatIsNoRequestIsAnInvalidArgument() {
    List<byte[]> broken =
        List.of(
            new byte[] {(byte) 0xff}, // half a tag
            new byte[] {0x0a, 0x7f}, // a string of which nothing is there
            new byte[] {0x0a, 0x01, (byte) 0xff}, // no UTF-8
            new byte[] {0x0c}, // the end of a group that has not begun
            new byte[] {0x00},
            "invalid".getBytes(StandardCharsets.US_ASCII)); // field numbers
    for (byte[] message : broken) {
      assertThatThrownBy(() -> call(message))
          .hasMessage("INVALID_ARGUMENT: the message is no RateLimitRequest");
    }
    assertThat(call(MESSAGE)).isNotEmpty();
  }

  @Test
  void anUnknownEncodingIsUnimplemented() throws Exception {
    assertThat(status(server, "grpc-encoding", "zstd")).isEqualTo("12");
    assertThat(status(server, "grpc-encoding", "identity")).isEqualTo("0");
  }

  @Test
  void aStoreThatDoesNotAnswerIsNotWaitedForBeyondTheTimeout() throws Exception {
    assertThat(status(silent, "grpc-timeout", "50m")).isIn("4", "reset");
    awaitNoneWaiting();

    assertThatThrownBy(
            () ->
                RateLimitServiceGrpc.newBlockingStub(silent.channel)
                    .withDeadlineAfter(50, TimeUnit.MILLISECONDS)
                    .shouldRateLimit(RlsServiceIT.request(RlsServiceIT.descriptor("user", "ann"))))
        .hasMessageStartingWith("DEADLINE_EXCEEDED");
    awaitNoneWaiting();
  }

  private static void awaitNoneWaiting() {
    while (silent.registry.get("sash.server.requests.waiting").gauge().value() > 0) {
      Thread.onSpinWait();
    }
  }
}
