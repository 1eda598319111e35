package dev.sash.server.rls;

import dev.sash.server.engine.Engine;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Envoy's rate limit service, version 3, with gRPC health and reflection, for an HTTP server that
 * hands over what is gRPC:
 *
 * <pre>{@code
 * RlsService rls = new RlsService(engine);
 * server.requestHandler(request -> {
 *   if (rls.accepts(request)) {
 *     rls.handle(request);
 *   } else …
 * });
 * }</pre>
 *
 * <p>Thread-safe. It blocks no thread.
 */
public final class RlsService {
  /** Less than the 20 ms that Envoy waits, so that a failure rule decides and not Envoy's. */
  private static final Duration DEFAULT_DEADLINE = Duration.ofMillis(15);

  private static final String GRPC = "application/grpc";
  private static final String SERVICE = "envoy.service.ratelimit.v3.RateLimitService";

  private final Decider decider;
  private final Health health = new Health(SERVICE);
  private final Reflection reflection = new Reflection();

  /**
   * A service that gives a remote store 15 ms, a little less than Envoy waits.
   *
   * @param engine decides
   */
  public RlsService(Engine engine) {
    this(engine, DEFAULT_DEADLINE);
  }

  /**
   * A service.
   *
   * @param engine decides
   * @param deadline within which a remote store must have answered where limits of Envoy's form are
   *     counted: then this process decides alone. Policies have their own
   */
  public RlsService(Engine engine, Duration deadline) {
    this.decider = new Decider(engine, deadline);
  }

  /**
   * Whether a request is meant for {@link #handle}.
   *
   * @param request any request
   * @return true if it is gRPC, or takes itself for that
   */
  public boolean accepts(HttpServerRequest request) {
    String type = request.getHeader("content-type");
    return request.method().equals(HttpMethod.POST)
        && type != null
        && type.regionMatches(true, 0, GRPC, 0, GRPC.length());
  }

  /**
   * Answers a request.
   *
   * @param request one that is {@linkplain #accepts accepted}, on its event loop, of whose body
   *     nothing has been read
   */
  public void handle(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) {
      refuse(request, 505, "gRPC needs HTTP/2.\n");
    } else if (!isProtobuf(request.getHeader("content-type"))) {
      refuse(request, 415, "Of gRPC only application/grpc and application/grpc+proto are known.\n");
    } else {
      call(request.path(), new GrpcCall(request));
    }
  }

  private void call(@Nullable String path, GrpcCall call) {
    switch (path == null ? "" : path) {
      case "/" + SERVICE + "/ShouldRateLimit" -> call.unary(decider::shouldRateLimit);
      case "/grpc.health.v1.Health/Check" -> call.unary(health::check);
      case "/grpc.health.v1.Health/Watch" -> health.watch(call);
      case "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
          "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo" ->
          call.each(reflection::answer);
      default -> call.fail(new GrpcException(GrpcStatus.UNIMPLEMENTED, "there is no such method"));
    }
  }

  private static boolean isProtobuf(@Nullable String contentType) {
    String type = contentType == null ? "" : contentType.toLowerCase(Locale.ROOT);
    int semicolon = type.indexOf(';');
    String bare = (semicolon < 0 ? type : type.substring(0, semicolon)).trim();
    return bare.equals(GRPC) || bare.equals(GRPC + "+proto");
  }

  /** To a client that would not understand a status of gRPC. What it still sends is not read. */
  private static void refuse(HttpServerRequest request, int status, String text) {
    HttpServerResponse response =
        request.response().setStatusCode(status).putHeader("content-type", "text/plain");
    response
        .end(text)
        .onComplete(
            sent -> {
              if (request.version() != HttpVersion.HTTP_2) {
                request.connection().close();
              } else if (!request.isEnded()) {
                response.reset(0);
              }
            });
  }

  /**
   * Tells clients that ask for health, and those that watch it, that no service is serving any
   * more, so that they go elsewhere. Whoever calls all the same is answered as before.
   */
  public void drain() {
    health.drain();
  }

  /** Ends the calls that watch health, which would not end by themselves. */
  public void close() {
    health.close();
  }
}
