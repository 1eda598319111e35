package dev.sash.server.rls;

import static dev.sash.server.rls.EnvoyFiles.any;
import static dev.sash.server.rls.EnvoyFiles.minutely;
import static dev.sash.server.rls.EnvoyFiles.shop;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.StreamResetException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What no stub would send: each has a clear answer, and none keeps the next from its own. */
@Timeout(60)
class WireIT {
  private static final String PATH = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final String HEALTH = "/grpc.health.v1.Health/Check";

  private static RlsServer server;
  private static RlsServer silent;
  private static HttpClient client;

  /** How a call ended. */
  private record Outcome(int http, String status, String message, Buffer body, MultiMap headers) {}

  @BeforeAll
  static void start() {
    server = new RlsServer(shop(any("user", minutely(5))));
    silent = new RlsServer(new SilentStore(), shop(any("user", minutely(5))));
    client =
        server
            .vertx()
            .createHttpClient(
                new HttpClientOptions()
                    .setProtocolVersion(HttpVersion.HTTP_2)
                    .setHttp2ClearTextUpgrade(false));
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

  private static HttpClientRequest open(RlsServer to, String path, String... headers) {
    HttpClientRequest request =
        client
            .request(
                new RequestOptions()
                    .setMethod(HttpMethod.POST)
                    .setHost("127.0.0.1")
                    .setPort(to.port())
                    .setURI(path))
            .await();
    request.putHeader("content-type", "application/grpc").putHeader("te", "trailers");
    for (int i = 0; i < headers.length; i += 2) {
      request.putHeader(headers[i], headers[i + 1]);
    }
    return request;
  }

  private static Outcome outcome(HttpClientResponse response) {
    Buffer body = response.body().await();
    boolean trailersOnly = response.getHeader("grpc-status") != null;
    MultiMap status = trailersOnly ? response.headers() : response.trailers();
    return new Outcome(
        response.statusCode(),
        status.get("grpc-status"),
        status.get("grpc-message"),
        body,
        response.headers());
  }

  private static Outcome send(String path, Buffer body, String... headers) {
    return outcome(open(server, path, headers).send(body).await());
  }

  private static Buffer request() {
    return Frames.framed(
        RlsServiceIT.request(RlsServiceIT.descriptor("user", "ann")).toByteArray());
  }

  @Test
  void whatIsNoRequestIsAnInvalidArgument() {
    List<Buffer> broken =
        List.of(
            Buffer.buffer(new byte[] {(byte) 0xff}), // half a tag
            Buffer.buffer(new byte[] {0x0a, 0x7f}), // a string of which nothing is there
            Buffer.buffer(new byte[] {0x0a, 0x01, (byte) 0xff}), // no UTF-8
            Buffer.buffer(new byte[] {0x0c}), // the end of a group that has not begun
            Buffer.buffer(new byte[] {0x00}),
            Buffer.buffer("invalid")); // the field numbers of letters
    for (Buffer message : broken) {
      Outcome outcome = send(PATH, Frames.framed(message.getBytes()));
      assertThat(outcome.http).isEqualTo(200);
      assertThat(outcome.status).isEqualTo("3");
      assertThat(outcome.message).isEqualTo("the message is no RateLimitRequest");
      assertThat(outcome.body.length()).isZero();
      assertThat(outcome.headers.get("content-type")).isEqualTo("application/grpc");
    }
    assertThat(send(HEALTH, Frames.framed(new byte[] {0x0a, 0x05})).status).isEqualTo("3");
  }

  @Test
  void aStreamThatEndsTooEarlyOrTooLateIsAnInvalidArgument() {
    Buffer whole = request();
    assertThat(send(PATH, whole.getBuffer(0, whole.length() - 1)).message)
        .isEqualTo("the stream ends " + (whole.length() - 1) + " bytes into a message");
    assertThat(send(PATH, whole.getBuffer(0, 3)).status).isEqualTo("3");
    assertThat(send(PATH, Buffer.buffer()).message)
        .isEqualTo("the call must have one message, has none");
    assertThat(send(PATH, request().appendBuffer(request())).message)
        .isEqualTo("the call must have one message, has more");
  }

  @Test
  void anUnknownEncodingIsUnimplementedAndTheKnownOnesAreTold() {
    Outcome outcome = send(PATH, request(), "grpc-encoding", "zstd");

    assertThat(outcome.status).isEqualTo("12");
    assertThat(outcome.headers.get("grpc-accept-encoding")).isEqualTo("identity,gzip");
  }

  @Test
  void aTimeoutThatCannotBeReadIsAnInvalidArgument() {
    assertThat(send(PATH, request(), "grpc-timeout", "soon").status).isEqualTo("3");
    assertThat(send(PATH, request(), "grpc-timeout", "0m").status).isEqualTo("4");
  }

  @Test
  void messagesAreOfPrintableAsciiAndReadableAgain() {
    assertThat(GrpcCall.percentEncoded("a ~ 100%\n\u00e9")).isEqualTo("a ~ 100%25%0A%C3%A9");
  }

  @Test
  void otherKindsOfGrpcAreUnsupportedMediaTypes() {
    for (String type :
        List.of("application/grpc-web", "application/grpc+json", "application/grpcx")) {
      Outcome outcome = send(PATH, request(), "content-type", type);
      assertThat(outcome.http).isEqualTo(415);
      assertThat(outcome.status).isNull();
    }
    for (String type : List.of("Application/gRPC+Proto", "application/grpc; charset=utf-8")) {
      assertThat(send(PATH, request(), "content-type", type).status).isEqualTo("0");
    }
  }

  @Test
  void overHttp1ItIsAVersionThatIsNotSupported() throws Exception {
    byte[] head =
        ("POST "
                + PATH
                + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/grpc\r\n"
                + "Content-Length: 1000000\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write(head);
      // Ends: the connection is closed, though the body never comes.
      String response =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(response).startsWith("HTTP/1.1 505 ").endsWith("gRPC needs HTTP/2.\n");
    }
  }

  @Test
  void whoSendsWithoutEndIsStopped() throws Exception {
    CompletableFuture<Throwable> stopped = new CompletableFuture<>();
    CompletableFuture<Outcome> answered = new CompletableFuture<>();
    HttpClientRequest request = open(server, PATH).setChunked(true);
    request.exceptionHandler(stopped::complete);
    request
        .response()
        .onSuccess(
            response -> {
              String status = response.getHeader("grpc-status");
              answered.complete(new Outcome(200, status, "", Buffer.buffer(), response.headers()));
              response.exceptionHandler(stopped::complete);
            });
    request.write(Buffer.buffer(new byte[] {0, 0x7f, 0, 0, 0})).await();

    assertThat(answered.get(20, TimeUnit.SECONDS).status).isEqualTo("8");
    assertThat(stopped.get(20, TimeUnit.SECONDS)).isInstanceOf(StreamResetException.class);
  }

  @Test
  void aStoreThatDoesNotAnswerIsNotWaitedForBeyondTheTimeout() {
    Outcome outcome = outcome(open(silent, PATH, "grpc-timeout", "20m").send(request()).await());

    assertThat(outcome.status).isEqualTo("4");
    assertThat(outcome.message).isEqualTo("there is no answer within the timeout");
  }

  @Test
  void aRequestThatNeverEndsIsNotWaitedForBeyondTheTimeout() {
    HttpClientRequest request = open(server, PATH, "grpc-timeout", "20m").setChunked(true);
    request.write(request().getBuffer(0, 7)).await();

    assertThat(outcome(request.response().await()).status).isEqualTo("4");
  }

  @RepeatedTest(20)
  void aCallThatIsCancelledDisturbsNobody() {
    HttpClientRequest cancelled = open(server, PATH).setChunked(true);
    cancelled.write(request().getBuffer(0, 7)).await();
    cancelled.reset(8).await();
    HttpClientRequest pending = open(silent, PATH);
    pending.end(request()).await();
    pending.reset(8).await();

    assertThat(send(HEALTH, Frames.framed(new byte[0])).status).isEqualTo("0");
    assertThat(outcome(open(silent, HEALTH).send(Frames.framed(new byte[0])).await()).status)
        .isEqualTo("0");
  }
}
