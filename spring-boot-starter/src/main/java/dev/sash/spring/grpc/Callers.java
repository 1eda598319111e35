package dev.sash.spring.grpc;

import dev.sash.grpc.CallKey;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import org.jspecify.annotations.Nullable;

/** Knows who calls. Thread-safe. */
interface Callers {
  /** Returns the key of the authenticated user, as HTTP requests have it. */
  CallKey user();

  /**
   * Returns why the user is not known at a place.
   *
   * @param place a global interceptor
   * @return null if it may be known
   */
  @Nullable String whyUnknown(ServerInterceptor place);

  /**
   * Returns a handler that has the user of the current thread when it is called on another thread:
   * Spring Security keeps the user by thread, and a late decision starts a call on one of its own.
   */
  <Q, A> ServerCallHandler<Q, A> keeping(ServerCallHandler<Q, A> handler);
}
