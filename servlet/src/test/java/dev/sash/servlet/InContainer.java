package dev.sash.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.http.Charge;
import dev.sash.http.HttpLimiter;
import dev.sash.http.HttpRule;
import dev.sash.http.KeyExtractor;
import dev.sash.memory.InMemoryStore;
import dev.sash.testkit.ManualClock;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What tests of the filter need: each runs in every container, asked by a real client. */
@ParameterizedClass
@EnumSource
@Timeout(60)
abstract class InContainer {
  /** The key of the client. */
  static final String ME = "ip:127.0.0.1";

  static final EnumSet<DispatcherType> EVERY_DISPATCH = EnumSet.allOf(DispatcherType.class);
  static final EnumSet<DispatcherType> REQUEST_AND_ASYNC =
      EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC);

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @Parameter Container.Kind kind;

  final ManualClock clock = new ManualClock();
  final InMemoryStore store = InMemoryStore.builder().clock(clock).build();
  final TestApplication application = new TestApplication();
  private @Nullable Container container;

  @AfterEach
  void stop() throws Exception {
    if (container != null) {
      container.stop();
      container = null;
    }
  }

  RateLimiter limiter(String limit) {
    return limiter("test", limit);
  }

  RateLimiter limiter(String policy, String limit) {
    return store.limiter(Policy.of(policy, Limit.parse(limit)));
  }

  static HttpLimiter perAddress(RateLimiter limiter) {
    return HttpLimiter.builder()
        .rule(HttpRule.forEverything().charge(limiter, KeyExtractor.clientAddress()))
        .build();
  }

  static HttpLimiter onlyFailures(RateLimiter limiter) {
    Charge failures = Charge.of(limiter, KeyExtractor.clientAddress());
    return HttpLimiter.builder()
        .rule(HttpRule.forEverything().charge(failures.onlyIfStatus(status -> status >= 400)))
        .build();
  }

  /** The filter on every dispatch there is, so that it has every chance to charge twice. */
  void serve(HttpLimiter limiter) throws Exception {
    serve(20, RateLimitFilter.of(limiter), EVERY_DISPATCH, true);
  }

  void serve(int threads, RateLimitFilter filter, EnumSet<DispatcherType> dispatches, boolean async)
      throws Exception {
    serve(
        threads,
        context -> {
          add(context, "limit", filter, dispatches);
          application.addTo(context, async);
        });
  }

  void serve(int threads, Consumer<ServletContext> setUp) throws Exception {
    container = kind.start(threads, setUp);
  }

  static void add(
      ServletContext context, String name, Filter filter, EnumSet<DispatcherType> dispatches) {
    FilterRegistration.Dynamic registration = context.addFilter(name, filter);
    registration.setAsyncSupported(true);
    registration.addMappingForUrlPatterns(dispatches, true, "/*");
  }

  private HttpRequest.Builder request(String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + container.port() + "/app" + path));
    return headers.length == 0 ? request : request.headers(headers);
  }

  HttpResponse<String> get(String path, String... headers) throws Exception {
    return CLIENT.send(request(path, headers).build(), BodyHandlers.ofString());
  }

  HttpResponse<String> head(String path) throws Exception {
    HttpRequest.Builder head = request(path).method("HEAD", BodyPublishers.noBody());
    return CLIENT.send(head.build(), BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String body) throws Exception {
    HttpRequest.Builder post = request(path, "Content-Type", "text/plain");
    return CLIENT.send(post.POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  CompletableFuture<HttpResponse<String>> getLater(String path) {
    return CLIENT.sendAsync(request(path).build(), BodyHandlers.ofString());
  }

  List<CompletableFuture<HttpResponse<String>>> getLater(String path, int times) {
    return IntStream.range(0, times).mapToObj(i -> getLater(path)).toList();
  }

  static List<HttpResponse<String>> joined(List<CompletableFuture<HttpResponse<String>>> later) {
    return later.stream().map(CompletableFuture::join).toList();
  }

  static long count(List<HttpResponse<String>> responses, int status) {
    return responses.stream().filter(response -> response.statusCode() == status).count();
  }

  static String header(HttpResponse<?> response, String name) {
    return String.join("|", response.headers().allValues(name));
  }

  static void eventually(String what, BooleanSupplier condition) throws Exception {
    for (int i = 0; i < 1_000 && !condition.getAsBoolean(); i++) {
      Thread.sleep(10);
    }
    assertThat(condition.getAsBoolean()).as(what).isTrue();
  }
}
