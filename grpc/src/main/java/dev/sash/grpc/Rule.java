package dev.sash.grpc;

import dev.sash.RateLimiter;
import dev.sash.key.Keys;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import java.util.Objects;

/**
 * The limiter and the key of a call.
 *
 * @param limiter decides
 * @param key finds the key to charge; the peer if it finds none, so that every call is limited
 */
record Rule(RateLimiter limiter, CallKey key) {
  Rule {
    Objects.requireNonNull(limiter, "limiter must not be null");
    key = Objects.requireNonNull(key, "key must not be null").orElse(CallKey.peer());
  }

  String keyOf(ServerCall<?, ?> call, Metadata headers) {
    return Keys.fitting(Objects.requireNonNull(key.keyOf(call, headers)));
  }
}
