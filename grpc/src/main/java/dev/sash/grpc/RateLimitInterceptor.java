package dev.sash.grpc;

import dev.sash.RateLimiter;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
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
  private final Map<String, Optional<CallRule>> rules;
  private final Map<String, Long> costs;
  private final @Nullable CallRule otherwise;
  private final List<CallRule> combined;
  private final Predicate<? super CallRule> inForce;
  private final Executor executor;

  private RateLimitInterceptor(Builder builder) {
    rules = Map.copyOf(builder.rules);
    costs = Map.copyOf(builder.costs);
    otherwise = builder.otherwise;
    combined = List.copyOf(builder.combined);
    inForce = rule -> true;
    executor = builder.executor;
  }

  private RateLimitInterceptor(RateLimitInterceptor all, Predicate<? super CallRule> inForce) {
    rules = all.rules;
    costs = all.costs;
    otherwise = all.otherwise;
    combined = all.combined;
    this.inForce = inForce;
    executor = all.executor;
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

  /**
   * Returns an interceptor that charges some of the rules only. Which rules hold for a call stays
   * the same, so that several interceptors can share them: for example one before authentication,
   * and one behind it for the keys that need the user. If a later one denies a call, what earlier
   * ones have charged is refunded.
   *
   * @param condition returns whether a rule is charged
   * @return the new interceptor
   */
  public RateLimitInterceptor withRules(Predicate<? super CallRule> condition) {
    return new RateLimitInterceptor(
        this, Objects.requireNonNull(condition, "condition must not be null"));
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    List<CallRule> charged = rulesFor(call.getMethodDescriptor());
    return charged.isEmpty()
        ? next.startCall(call, headers)
        : new LimitedCall<>(charged, call, headers, next).begin(executor);
  }

  private List<CallRule> rulesFor(MethodDescriptor<?, ?> method) {
    List<CallRule> found = new ArrayList<>();
    Optional<CallRule> own = settingOf(method, rules, Optional.ofNullable(otherwise));
    own.filter(inForce).ifPresent(rule -> found.add(rule.cost(settingOf(method, costs, 1L))));
    if (combined.isEmpty()) {
      return found;
    }
    boolean isExempt = settingOf(method, rules, Optional.of(combined.get(0))).isEmpty();
    for (CallRule rule : combined) {
      if (rule.holdsFor(method, isExempt)) {
        if (inForce.test(rule)) {
          found.add(rule);
        }
        if (rule.isLast()) {
          break;
        }
      }
    }
    return found;
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
   * earlier one. Rules that are added by {@link #rule} hold besides. Not thread-safe.
   *
   * <p>Health checks and reflection ({@code grpc.health.v1.Health} and {@code
   * grpc.reflection.v1.ServerReflection}, also {@code v1alpha}) are exempt unless there is a rule
   * for them.
   */
  public static final class Builder {
    private final Map<String, Optional<CallRule>> rules = new HashMap<>();
    private final Map<String, Long> costs = new HashMap<>();
    private final List<CallRule> combined = new ArrayList<>();
    private @Nullable CallRule otherwise;
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
      rules.put(checkedMethod(fullMethodName), Optional.of(CallRule.of(limiter, key)));
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
      rules.put(service, Optional.of(CallRule.of(limiter, key)));
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
      otherwise = CallRule.of(limiter, key);
      return this;
    }

    /**
     * Adds a rule that holds besides all others: a call is charged to every such rule that holds
     * for it, and to the one of {@link #forMethod}, {@link #forService} or {@link #otherwise}, or
     * to none of them. Rules are asked in the order in which they are added.
     *
     * @param rule for its methods; exempt ones only if it names them or their service
     * @return this
     */
    public Builder rule(CallRule rule) {
      combined.add(Objects.requireNonNull(rule, "rule must not be null"));
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
     * Sets the cost of a call under {@link #forMethod}, {@link #forService} and {@link #otherwise}.
     *
     * @param name a service or a full method name
     * @param permits 1 to 10⁹; 1 by default
     * @return this
     */
    public Builder cost(String name, long permits) {
      costs.put(checkedName(name), CallRule.checkedCost(permits));
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
      if (otherwise == null
          && combined.isEmpty()
          && rules.values().stream().allMatch(Optional::isEmpty)) {
        throw new IllegalStateException(
            "a limiter must be given by otherwise, forService, forMethod or rule");
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
