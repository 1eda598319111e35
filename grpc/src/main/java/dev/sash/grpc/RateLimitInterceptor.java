package dev.sash.grpc;

import dev.sash.RateLimiter;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Limits the calls of a gRPC server. Immutable and thread-safe.
 *
 * <pre>{@code
 * RateLimitInterceptor limits = RateLimitInterceptor.builder()
 *     .otherwise(api, CallKey.apiKey("x-api-key"))
 *     .forService("shop.Search", search, CallKey.peer())
 *     .forMethod("shop.Orders/Export", export, CallKey.context("user", USER))
 *     .build();
 * Server server = ServerBuilder.forPort(8080)
 *     .addService(ServerInterceptors.intercept(service, limits, authentication))
 *     .build();
 * }</pre>
 *
 * <p>A call is charged once, when it begins, however many messages it has. A denied call is closed
 * with {@code RESOURCE_EXHAUSTED}, or with {@code UNAVAILABLE} if a {@link dev.sash.FailureRule}
 * denied it because the store is unavailable. Its status details contain a {@code
 * google.rpc.RetryInfo} with the exact wait, its trailers {@code grpc-retry-pushback-ms}, and its
 * description the seconds. Keys are never disclosed.
 *
 * <p>No thread waits for a store that responds later: the call is then started on the {@link
 * Builder#executor}, in the {@link io.grpc.Context} in which it arrived. A call that is cancelled
 * before it is started is refunded.
 */
public final class RateLimitInterceptor implements ServerInterceptor {
  private final Map<String, Optional<Rule>> rules;
  private final Map<String, Long> costs;
  private final @Nullable Rule otherwise;
  private final Executor executor;

  private RateLimitInterceptor(Builder builder) {
    rules = Map.copyOf(builder.rules);
    costs = Map.copyOf(builder.costs);
    otherwise = builder.otherwise;
    executor = builder.executor;
  }

  /**
   * Returns an interceptor with one limiter for all methods: short for a builder with {@link
   * Builder#otherwise}.
   *
   * @param limiter decides
   * @param key finds the key to charge
   * @return the interceptor
   */
  public static RateLimitInterceptor of(RateLimiter limiter, CallKey key) {
    return builder().otherwise(limiter, key).build();
  }

  /**
   * Returns a builder.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    MethodDescriptor<Q, A> method = call.getMethodDescriptor();
    Rule rule = settingOf(method, rules, Optional.ofNullable(otherwise)).orElse(null);
    if (rule == null) {
      return next.startCall(call, headers);
    }
    return new LimitedCall<>(rule, settingOf(method, costs, 1L), call, headers, next)
        .begin(executor);
  }

  /** Returns the setting of the method, or else of its service. */
  private static <T> T settingOf(
      MethodDescriptor<?, ?> method, Map<String, T> settings, T otherwise) {
    T ofMethod = settings.get(method.getFullMethodName());
    if (ofMethod != null) {
      return ofMethod;
    }
    String service = method.getServiceName();
    return service == null ? otherwise : settings.getOrDefault(service, otherwise);
  }

  /**
   * Builder for {@link RateLimitInterceptor}. A rule for a method takes precedence over a rule for
   * its service, and that over {@link #otherwise}; a later rule for the same name replaces an
   * earlier one. Not thread-safe.
   *
   * <p>Health checks and reflection ({@code grpc.health.v1.Health} and {@code
   * grpc.reflection.v1.ServerReflection}, also {@code v1alpha}) are exempt unless there is a rule
   * for them.
   */
  public static final class Builder {
    private static final long MAX_PERMITS = 1_000_000_000;

    private final Map<String, Optional<Rule>> rules = new HashMap<>();
    private final Map<String, Long> costs = new HashMap<>();
    private @Nullable Rule otherwise;
    private Executor executor = CallThreads.SHARED;

    private Builder() {
      exempt("grpc.health.v1.Health");
      exempt("grpc.reflection.v1.ServerReflection");
      exempt("grpc.reflection.v1alpha.ServerReflection");
    }

    /**
     * Limits one method.
     *
     * @param fullMethodName such as {@code shop.Orders/Place}
     * @param limiter decides
     * @param key finds the key to charge; the peer's address is charged if it finds none
     * @return this
     */
    public Builder forMethod(String fullMethodName, RateLimiter limiter, CallKey key) {
      rules.put(checkedMethod(fullMethodName), Optional.of(new Rule(limiter, key)));
      return this;
    }

    /**
     * Limits the methods of a service. They share the limiter; add {@link CallKey#method} to the
     * key for separate counts.
     *
     * @param service such as {@code shop.Orders}
     * @param limiter decides
     * @param key finds the key to charge; the peer's address is charged if it finds none
     * @return this
     */
    public Builder forService(String service, RateLimiter limiter, CallKey key) {
      Objects.requireNonNull(service, "service must not be null");
      if (service.isEmpty() || service.contains("/")) {
        throw new IllegalArgumentException(
            "service must be a name without a slash such as shop.Orders, was '" + service + "'");
      }
      rules.put(service, Optional.of(new Rule(limiter, key)));
      return this;
    }

    /**
     * Limits all calls without a rule of their own. By default, they are not limited.
     *
     * @param limiter decides
     * @param key finds the key to charge; the peer's address is charged if it finds none
     * @return this
     */
    public Builder otherwise(RateLimiter limiter, CallKey key) {
      otherwise = new Rule(limiter, key);
      return this;
    }

    /**
     * Exempts a method or service from limits.
     *
     * @param name a service or a full method name
     * @return this
     */
    public Builder exempt(String name) {
      rules.put(checkedName(name), Optional.empty());
      return this;
    }

    /**
     * Sets the cost of a call.
     *
     * @param name a service or a full method name
     * @param permits 1 to 10⁹; 1 by default
     * @return this
     */
    public Builder cost(String name, long permits) {
      if (permits < 1 || permits > MAX_PERMITS) {
        throw new IllegalArgumentException(
            "permits must be between 1 and " + MAX_PERMITS + ", was " + permits);
      }
      costs.put(checkedName(name), permits);
      return this;
    }

    /**
     * Sets the executor that starts calls whose decision was not available at once.
     *
     * @param executor for example the server's own; by default a cached pool of daemon threads
     * @return this
     */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor must not be null");
      return this;
    }

    /**
     * Returns the interceptor.
     *
     * @return a new interceptor
     * @throws IllegalStateException if no limiter was given
     */
    public RateLimitInterceptor build() {
      if (otherwise == null && rules.values().stream().allMatch(Optional::isEmpty)) {
        throw new IllegalStateException(
            "a limiter must be given by otherwise, forService or forMethod");
      }
      return new RateLimitInterceptor(this);
    }

    private static String checkedName(String name) {
      Objects.requireNonNull(name, "name must not be null");
      if (name.isEmpty()) {
        throw new IllegalArgumentException("name must not be empty");
      }
      return name.contains("/") ? checkedMethod(name) : name;
    }

    private static String checkedMethod(String name) {
      Objects.requireNonNull(name, "method name must not be null");
      int slash = name.lastIndexOf('/');
      if (slash < 1 || slash == name.length() - 1) {
        throw new IllegalArgumentException(
            "method name must be a full one such as shop.Orders/Place, was '" + name + "'");
      }
      return name;
    }
  }
}
