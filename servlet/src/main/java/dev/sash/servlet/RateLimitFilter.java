package dev.sash.servlet;

import dev.sash.http.HttpLimiter;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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
 * are not charged. If a decision is not there at once, the container's thread is not kept waiting:
 * the request becomes asynchronous and is dispatched again when it is admitted. Three things
 * follow:
 *
 * <ul>
 *   <li>the filter must be mapped to {@code REQUEST} and {@code ASYNC} dispatches, as {@link
 *       #registerIn} does;
 *   <li>filters behind it must be mapped to {@code ASYNC} as well, since the container passes by
 *       those that are not. They see an ordinary {@code REQUEST} dispatch. Where that cannot be,
 *       {@linkplain Builder#waitForDecisions wait};
 *   <li>where the servlet or a filter is not declared to support asynchronous requests, or a filter
 *       in front has made the request asynchronous already, the thread does wait, for as long as
 *       the policy's deadline at most.
 * </ul>
 */
public final class RateLimitFilter implements Filter {
  private static final Logger LOG = LoggerFactory.getLogger(RateLimitFilter.class);
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  private final HttpLimiter limiter;
  private final Function<HttpServletRequest, @Nullable String> principals;
  private final Function<HttpServletRequest, @Nullable String> routes;
  private final boolean waits;

  /** Of this filter alone: each of several filters charges. */
  private final String attribute = RateLimitFilter.class.getName() + "." + COUNT.incrementAndGet();

  private RateLimitFilter(Builder builder) {
    limiter = builder.limiter;
    principals = builder.principals;
    routes = builder.routes;
    waits = builder.waits;
  }

  /**
   * A filter with the defaults of {@link Builder}.
   *
   * @param limiter decides
   * @return the filter
   */
  public static RateLimitFilter of(HttpLimiter limiter) {
    return builder(limiter).build();
  }

  /**
   * A filter of your own making.
   *
   * @param limiter decides
   * @return a builder with the defaults
   */
  public static Builder builder(HttpLimiter limiter) {
    return new Builder(limiter);
  }

  /**
   * Puts the filter in front of an application, before the filters that are already mapped: as
   * asynchronous, and for {@code REQUEST} and {@code ASYNC} dispatches.
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
    if (request.getAttribute(attribute) instanceof Passage passage) {
      Verdict ready = passage.takeReady();
      if (ready == null) {
        chain.doFilter(request, response); // a further dispatch of a request that is decided
      } else {
        proceed(passage, ready, request, response, chain);
      }
    } else if (request.getDispatcherType() == DispatcherType.ERROR) {
      chain.doFilter(request, response); // it failed before it came here
    } else {
      decide(request, response, chain);
    }
  }

  private void decide(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Passage passage = new Passage(response, request.getDispatcherType());
    request.setAttribute(attribute, passage);
    CompletableFuture<Verdict> answer =
        limiter.check(new ServletRequestView(request, principals, routes)).toCompletableFuture();
    if (!answer.isDone() && !waits && canBeSuspended(request)) {
      passage.suspend(request.startAsync(request, response), answer);
      return;
    }
    Verdict verdict = passage.await(answer);
    if (verdict.allowed()) {
      proceed(passage, verdict, request, response, chain);
    } else {
      Passage.write(verdict, response);
    }
  }

  /** Not in a forward or an include: who called it would go on without the answer. */
  private static boolean canBeSuspended(HttpServletRequest request) {
    return request.isAsyncSupported()
        && !request.isAsyncStarted()
        && (request.getDispatcherType() == DispatcherType.REQUEST
            || request.getDispatcherType() == DispatcherType.ASYNC);
  }

  private static void proceed(
      Passage passage,
      Verdict verdict,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws IOException, ServletException {
    verdict.headers().forEach(response::setHeader);
    if (!verdict.dependsOnStatus() && passage.dispatcherType() == request.getDispatcherType()) {
      chain.doFilter(request, response);
      return;
    }
    WatchedRequest watched = new WatchedRequest(request, passage);
    boolean returned = false;
    try {
      chain.doFilter(watched, response);
      returned = true;
    } finally {
      if (!returned) {
        passage.settle(passage.statusOfFailure());
      } else if (!watched.becameAsync()) {
        passage.settle(response.getStatus());
      }
    }
  }

  /** Once: it is a mistake of the application, not of a request. */
  static void warnOfMissingDispatch() {
    if (WARNED.compareAndSet(false, true)) {
      LOG.warn(
          "the rate limit filter is not mapped to ASYNC dispatches: limits hold, but header fields"
              + " are missing from responses to admitted requests");
    }
  }

  /** How a filter is to be. Not thread-safe. */
  public static final class Builder {
    private final HttpLimiter limiter;
    private Function<HttpServletRequest, @Nullable String> principals =
        Builder::nameOfUserPrincipal;
    private Function<HttpServletRequest, @Nullable String> routes = Builder::patternOfServlet;
    private boolean waits;

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
     * Finds who was authenticated.
     *
     * @param principals the name of {@link HttpServletRequest#getUserPrincipal} unless given; null
     *     if nobody was
     * @return this
     */
    public Builder principal(Function<HttpServletRequest, @Nullable String> principals) {
      this.principals = Objects.requireNonNull(principals, "principals must not be null");
      return this;
    }

    /**
     * Finds the pattern of the handler.
     *
     * @param routes the pattern of the servlet's mapping, such as {@code /users/*}, unless given;
     *     null if it is not known
     * @return this
     */
    public Builder route(Function<HttpServletRequest, @Nullable String> routes) {
      this.routes = Objects.requireNonNull(routes, "routes must not be null");
      return this;
    }

    /**
     * Keeps the container's thread while a decision is pending, so that a request is never
     * dispatched twice: for applications whose filters are not mapped to {@code ASYNC} dispatches,
     * and for virtual threads.
     *
     * @return this
     */
    public Builder waitForDecisions() {
      waits = true;
      return this;
    }

    /**
     * The filter.
     *
     * @return a new filter
     */
    public RateLimitFilter build() {
      return new RateLimitFilter(this);
    }
  }
}
