package dev.sash.grpc;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import dev.sash.key.Keys;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * What a call is charged to.
 *
 * @param limiter decides
 * @param key who is charged; the peer if it finds nothing, so that no call goes unlimited
 */
record Rule(RateLimiter limiter, CallKey key) {
  Rule {
    Objects.requireNonNull(limiter, "limiter must not be null");
    key = Objects.requireNonNull(key, "key must not be null").orElse(CallKey.peer());
  }

  String keyOf(ServerCall<?, ?> call, Metadata headers) {
    return Keys.fitting(Objects.requireNonNull(key.keyOf(call, headers)));
  }

  CompletableFuture<Decision> ask(String caller, long permits) {
    try {
      return limiter.tryAcquireAsync(caller, permits).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
