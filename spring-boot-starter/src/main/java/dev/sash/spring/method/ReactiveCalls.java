package dev.sash.spring.method;

import dev.sash.Decision;
import dev.sash.spring.method.RateLimitInterceptor.Call;
import dev.sash.spring.method.RateLimitInterceptor.Proceeding;
import java.util.concurrent.CompletableFuture;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/** Methods that return something to subscribe to: each subscription is a call. */
final class ReactiveCalls {
  private ReactiveCalls() {}

  static Object guarded(Call call, Proceeding proceeding, ReactiveAdapter adapter) {
    Mono<Proceeding> next =
        Mono.deferContextual(
            context -> decision(call).map(d -> call.next(d, proceeding, reports(call, context))));
    return adapter.fromPublisher(
        adapter.isMultiValue()
            ? next.flatMapMany(chosen -> Flux.from(proceed(chosen, adapter)))
            : next.flatMap(chosen -> Mono.from(proceed(chosen, adapter))));
  }

  private static Mono<Decision> decision(Call call) {
    CompletableFuture<Decision> decision =
        call.key().tryAcquireAsync(call.permits()).toCompletableFuture();
    Mono<Decision> mono = Mono.fromFuture(decision, true);
    // An I/O thread of the store must not be kept by what follows.
    return decision.isDone() ? mono : mono.publishOn(Schedulers.parallel());
  }

  private static RequestReport reports(Call call, ContextView context) {
    return call.handler() && context.hasKey(RequestReport.class)
        ? context.get(RequestReport.class)
        : decision -> {};
  }

  private static Publisher<Object> proceed(Proceeding proceeding, ReactiveAdapter adapter) {
    try {
      return adapter.toPublisher(proceeding.proceed());
    } catch (Throwable e) {
      return Mono.error(e);
    }
  }
}
