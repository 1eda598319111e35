package dev.sash.spring.client;

import dev.sash.client.OutgoingLimiter;
import java.net.URI;
import java.util.Objects;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Limits the calls of a {@code WebClient}. No thread waits. Each subscription is a call; cancelling
 * it while it waits withdraws the call, and spends nothing.
 *
 * <p>A call that is not made ends with an {@link dev.sash.client.OutgoingLimitException} as its
 * error. {@code block()} wraps it, as all checked exceptions, in a {@code RuntimeException}.
 *
 * <p>Filters that are added before this one, for example to repeat calls, are around it: each of
 * their calls is limited. Thread-safe.
 */
public final class OutgoingLimitFilter implements ExchangeFilterFunction {
  private final OutgoingLimiter limiter;

  /**
   * Creates a filter.
   *
   * @param limiter admits the calls
   */
  public OutgoingLimitFilter(OutgoingLimiter limiter) {
    this.limiter = Objects.requireNonNull(limiter, "limiter must not be null");
  }

  @Override
  public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
    URI target = request.url();
    return Mono.fromFuture(() -> limiter.acquire(target).toCompletableFuture())
        .then(Mono.defer(() -> next.exchange(request)))
        .doOnNext(response -> learn(target, response));
  }

  private void learn(URI target, ClientResponse response) {
    var unused = limiter.learn(target, response.statusCode().value(), response.headers()::header);
  }
}
