package dev.sash.servlet;

import dev.sash.http.HttpLimiter;
import dev.sash.http.RequestView;
import dev.sash.http.Verdict;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.EnumSet;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A filter that limits requests. Thread-safe.
 *
 * <pre>{@code
 * HttpLimiter limiter = HttpLimiter.builder()
 *     .rule(HttpRule.forPaths("/api/**").charge(api, KeyExtractor.principal()))
 *     .build();
 * RateLimitFilter.of(limiter).registerIn(servletContext, "/*");
 * }</pre>
 *
 * <p>A request is charged once, however often it is forwarded, included or dispatched; error pages
 * are not charged. If a decision is not available at once, no thread waits for it: the request
 * becomes asynchronous and is dispatched again when it is admitted. Therefore:
 *
 * <ul>
 *   <li>the filter must be mapped to {@code REQUEST} and {@code ASYNC} dispatches, as {@link
 *       #registerIn} does;
 *   <li>filters after it must be mapped to {@code ASYNC} as well, since the container skips those
 *       that are not. They see an ordinary {@code REQUEST} dispatch. If that is not possible, use
 *       {@link Builder#waitForDecisions()};
 *   <li>if the servlet or a filter is not declared to support asynchronous requests, or an earlier
 *       filter has made the request asynchronous already, the thread waits, at most for the
 *       policy's deadline.
 * </ul>
 */
public final class RateLimitFilter implements Filter {
  /**
   * The request attribute that holds the {@link Verdict} of an admitted request. With several
   * filters it is that of the last, which contains the decisions of all: a request that one of them
   * denies is charged by none.
   */
  public static final String VERDICT = RateLimitFilter.class.getName() + ".verdict";

  private static final Logger LOG = LoggerFactory.getLogger(RateLimitFilter.class);
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  private final HttpLimiter limiter;
  private final Function<HttpServletRequest, @Nullable String> principals;
  private final Function<HttpServletRequest, @Nullable String> routes;
  private final Function<HttpServletRequest, @Nullable String> loginNames;
  private final BooleanSupplier waits;
  private final BiConsumer<HttpServletRequest, HttpServletResponse> beforeDenial;

  /** Differs between filters: each of several filters charges. */
  private final String attribute = RateLimitFilter.class.getName() + "." + COUNT.incrementAndGet();

  private RateLimitFilter(Builder builder) {
    limiter = builder.limiter;
    principals = builder.principals;
    routes = builder.routes;
    loginNames = builder.loginNames;
    waits = builder.waits;
    beforeDenial = builder.beforeDenial;
  }

  /**
   * Returns a filter with the defaults of {@link Builder}.
   *
   * @param limiter decides
   * @return the filter
   */
  public static RateLimitFilter of(HttpLimiter limiter) {
    return builder(limiter).build();
  }

  /**
   * Returns a builder.
   *
   * @param limiter decides
   * @return a builder with the defaults
   */
  public static Builder builder(HttpLimiter limiter) {
    return new Builder(limiter);
  }

  /**
   * Registers the filter before the filters that are already mapped, with asynchronous support and
   * for {@code REQUEST} and {@code ASYNC} dispatches.
   *
   * @param context the application, while it starts
   * @param urlPatterns such as {@code /*}
   * @return the registration
   */
  public FilterRegistration.Dynamic registerIn(ServletContext context, String... urlPatterns) {
    FilterRegistration.Dynamic registration = context.addFilter(attribute, this);
    registration.setAsyncSupported(true);
    registration.addMappingForUrlPatterns(
        EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), false, urlPatterns);
    return registration;
  }

  /**
   * Returns a request as this filter sees it, for later calls of an {@link HttpLimiter}.
   *
   * @param request the request
   * @return a view with the principal and route that the filter uses
   */
  public RequestView viewOf(HttpServletRequest request) {
    return new ServletRequestView(request, principals, routes, loginNames);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse httpResponse) {
      limit(http, httpResponse, chain);
    } else {
      chain.doFilter(request, response);
    }
  }

  private void limit(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request.getAttribute(attribute) instanceof RequestState state) {
      Verdict ready = state.takeReady();
      if (ready == null) {
        chain.doFilter(request, response); // decided in an earlier dispatch
      } else {
        proceed(state, ready, request, response, chain);
      }
    } else if (request.getDispatcherType() == DispatcherType.ERROR) {
      chain.doFilter(request, response); // failed before it reached this filter
    } else {
      decide(request, response, chain);
    }
  }

  private void decide(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    RequestState state =
        new RequestState(
            response, request.getDispatcherType(), () -> beforeDenial.accept(request, response));
    request.setAttribute(attribute, state);
    CompletableFuture<Verdict> pending = check(request).toCompletableFuture();
    if (!pending.isDone() && canBeSuspended(request) && !waits.getAsBoolean()) {
      state.suspend(request.startAsync(request, response), pending);
      return;
    }
    Verdict verdict = state.await(pending);
    if (verdict.allowed()) {
      proceed(state, verdict, request, response, chain);
    } else {
      state.write(verdict);
    }
  }

  private CompletionStage<Verdict> check(HttpServletRequest request) {
    return request.getAttribute(VERDICT) instanceof Verdict earlier
        ? limiter.check(viewOf(request), earlier)
        : limiter.check(viewOf(request));
  }

  /** Not in a forward or an include: its caller would continue without the decision. */
  private static boolean canBeSuspended(HttpServletRequest request) {
    return request.isAsyncSupported()
        && !request.isAsyncStarted()
        && (request.getDispatcherType() == DispatcherType.REQUEST
            || request.getDispatcherType() == DispatcherType.ASYNC);
  }

  private static void proceed(
      RequestState state,
      Verdict verdict,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws IOException, ServletException {
    request.setAttribute(VERDICT, verdict);
    verdict.headers().forEach(response::setHeader);
    if (!verdict.dependsOnOutcome() && state.dispatcherType() == request.getDispatcherType()) {
      chain.doFilter(request, response);
      return;
    }
    WatchedRequest watched = new WatchedRequest(request, state);
    boolean returned = false;
    try {
      chain.doFilter(watched, response);
      returned = true;
    } finally {
      if (!returned) {
        state.settle(state.statusOfFailure());
      } else if (!watched.becameAsync()) {
        state.settle(response.getStatus());
      }
    }
  }

  /** Logs once: the application is misconfigured, not the request. */
  static void warnOfMissingDispatch() {
    if (WARNED.compareAndSet(false, true)) {
      LOG.warn(
          "Rate limit filter is not mapped to ASYNC dispatches: limits are enforced, but header"
              + " fields are missing from responses to admitted requests");
    }
  }

  /** Builder for {@link RateLimitFilter}. Not thread-safe. */
  public static final class Builder {
    private final HttpLimiter limiter;
    private Function<HttpServletRequest, @Nullable String> principals =
        Builder::nameOfUserPrincipal;
    private Function<HttpServletRequest, @Nullable String> routes = Builder::patternOfServlet;
    private Function<HttpServletRequest, @Nullable String> loginNames = request -> null;
    private BooleanSupplier waits = () -> false;
    private BiConsumer<HttpServletRequest, HttpServletResponse> beforeDenial = (rq, rs) -> {};

    private Builder(HttpLimiter limiter) {
      this.limiter = Objects.requireNonNull(limiter, "limiter must not be null");
    }

    private static @Nullable String nameOfUserPrincipal(HttpServletRequest request) {
      Principal principal = request.getUserPrincipal();
      return principal == null ? null : principal.getName();
    }

    private static @Nullable String patternOfServlet(HttpServletRequest request) {
      return request.getHttpServletMapping().getPattern();
    }

    /**
     * Sets how to find the authenticated user.
     *
     * @param principals returns the name, or null; by default that of {@link
     *     HttpServletRequest#getUserPrincipal}
     * @return this
     */
    public Builder principal(Function<HttpServletRequest, @Nullable String> principals) {
      this.principals = Objects.requireNonNull(principals, "principals must not be null");
      return this;
    }

    /**
     * Sets how to find the pattern of the handler.
     *
     * @param routes returns the pattern, or null if it is unknown; by default that of the servlet's
     *     mapping, such as {@code /users/*}
     * @return this
     */
    public Builder route(Function<HttpServletRequest, @Nullable String> routes) {
      this.routes = Objects.requireNonNull(routes, "routes must not be null");
      return this;
    }

    /**
     * Sets how to find the name with which a client tries to log in, if it is not the user of
     * {@code Authorization: Basic}.
     *
     * @param loginNames returns the name, or null
     * @return this
     */
    public Builder loginName(Function<HttpServletRequest, @Nullable String> loginNames) {
      this.loginNames = Objects.requireNonNull(loginNames, "loginNames must not be null");
      return this;
    }

    /**
     * Sets what to do before the response to a denied request is written, for example add the
     * fields that let scripts of other origins read it.
     *
     * @param action receives the request and the response; must not write to the body
     * @return this
     */
    public Builder beforeDenial(BiConsumer<HttpServletRequest, HttpServletResponse> action) {
      this.beforeDenial = Objects.requireNonNull(action, "action must not be null");
      return this;
    }

    /**
     * Lets the container's thread wait while a decision is pending, so that a request is never
     * dispatched twice: for applications whose filters are not mapped to {@code ASYNC} dispatches,
     * and for virtual threads.
     *
     * @return this
     */
    public Builder waitForDecisions() {
      return waitForDecisions(() -> true);
    }

    /**
     * Lets the container's thread wait if a condition is true; see {@link #waitForDecisions()}.
     *
     * @param condition called each time a decision is pending: must be fast and thread-safe
     * @return this
     */
    public Builder waitForDecisions(BooleanSupplier condition) {
      waits = Objects.requireNonNull(condition, "condition must not be null");
      return this;
    }

    /**
     * Returns the filter.
     *
     * @return a new filter
     */
    public RateLimitFilter build() {
      return new RateLimitFilter(this);
    }
  }
}
