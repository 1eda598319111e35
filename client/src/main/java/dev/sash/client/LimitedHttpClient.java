package dev.sash.client;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** A client that makes its calls through another one, each when a limiter admits it. */
final class LimitedHttpClient extends HttpClient {
  private final OutgoingLimiter limiter;
  private final HttpClient client;

  LimitedHttpClient(OutgoingLimiter limiter, HttpClient client) {
    this.limiter = limiter;
    this.client = Objects.requireNonNull(client, "client must not be null");
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    limiter.acquireBlocking(request.uri());
    HttpResponse<T> response = client.send(request, handler);
    learn(response);
    return response;
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return sendAsync(request, () -> client.sendAsync(request, handler));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushed) {
    return sendAsync(request, () -> client.sendAsync(request, handler, pushed));
  }

  /** Cancelling the returned future cancels the wait or the exchange. */
  private <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, Supplier<CompletableFuture<HttpResponse<T>>> exchange) {
    CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
    CompletableFuture<Void> acquired = limiter.acquire(request.uri()).toCompletableFuture();
    cancelWith(result, acquired);
    var unused =
        acquired
            .thenCompose(
                admitted -> {
                  CompletableFuture<HttpResponse<T>> sent = exchange.get();
                  cancelWith(result, sent);
                  return sent;
                })
            .whenComplete(
                (response, failure) -> {
                  if (failure != null) {
                    result.completeExceptionally(PendingCalls.unwrapped(failure));
                    return;
                  }
                  try {
                    learn(response);
                  } finally {
                    result.complete(response);
                  }
                });
    return result;
  }

  private static void cancelWith(CompletableFuture<?> result, CompletableFuture<?> step) {
    var unused =
        result.whenComplete(
            (done, failure) -> {
              if (result.isCancelled()) {
                step.cancel(true);
              }
            });
  }

  /** Learns from a response and from the redirects that led to it, each from its own host. */
  private <T> void learn(HttpResponse<T> response) {
    for (HttpResponse<T> next = response; next != null; next = previous(next)) {
      var unused = limiter.learn(next.uri(), next.statusCode(), next.headers()::allValues);
    }
  }

  private static <T> @Nullable HttpResponse<T> previous(HttpResponse<T> response) {
    return response.previousResponse().orElse(null);
  }

  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return client.newWebSocketBuilder();
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return client.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public Version version() {
    return client.version();
  }

  @Override
  public Optional<Executor> executor() {
    return client.executor();
  }
}
