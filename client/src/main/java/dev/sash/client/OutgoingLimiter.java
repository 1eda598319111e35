package dev.sash.client;

import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Store;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits calls to other services, and does not call them before the time that their responses name.
 *
 * <pre>{@code
 * OutgoingLimiter limiter =
 *     OutgoingLimiter.builder(store)
 *         .policy(Policy.named("partners").withLimits("50/s"))
 *         .maxWait(Duration.ofSeconds(2))
 *         .build();
 * HttpClient client = limiter.limiting(HttpClient.newHttpClient());
 * }</pre>
 *
 * <p>Each origin (scheme, host and port) has its own permits and its own pause. A pause begins with
 * a response that has a {@code Retry-After} field (status 429 or 503), or whose {@code RateLimit}
 * or {@code X-RateLimit-} fields say that nothing remains until some time, or that has the status
 * 429 alone. Until the pause ends, no process calls that origin that uses the same store and the
 * same name of the policy. The response itself is passed on unchanged: no call is repeated.
 *
 * <p>A call that has no permit or comes during a pause waits, up to a bound. Within a process,
 * waiting calls to one origin are admitted in order of arrival; processes that share a store
 * compete with each other.
 *
 * <p>While a remote store is unavailable, the failure rule of the policy decides about permits, and
 * each process keeps to the pauses that it knows.
 *
 * <p>Where {@link #limiting} does not fit, call {@link #acquire} before each call and {@link
 * #learn} after it. Thread-safe.
 */
public final class OutgoingLimiter {
  private static final Logger LOG = LoggerFactory.getLogger(OutgoingLimiter.class);
  private static final Duration LONGEST = Duration.ofDays(11);
  private static final int MAX_PAUSES = 10_000;

  private final Pauses pauses;
  private final PendingCalls calls;
  private final InstantSource wallClock;
  private final Duration maxPause;
  private final Duration defaultPause;

  private OutgoingLimiter(Builder builder) {
    RateLimiter limiter = builder.limiter;
    // No policy has an empty name.
    String group = limiter == null ? "" : limiter.policy().name();
    pauses = new Pauses(builder.store, group, MAX_PAUSES);
    calls =
        new PendingCalls(
            new Admission(pauses, limiter),
            builder.store.clock(),
            builder.maxWait,
            builder.maxWaiting);
    wallClock = builder.wallClock;
    maxPause = builder.maxPause;
    defaultPause = builder.defaultPause;
  }

  /**
   * Returns a builder.
   *
   * @param store keeps permits and pauses; a store on Redis shares them with all processes that use
   *     it
   * @return a builder with the defaults
   */
  public static Builder builder(Store store) {
    return new Builder(Objects.requireNonNull(store, "store must not be null"));
  }

  /**
   * Returns a client that makes its calls through another one, each when it is admitted. A call
   * that is not fails with {@link OutgoingLimitException}, thrown by {@code send} and passed to the
   * future of {@code sendAsync}; cancelling that future withdraws a waiting call. The timeout of a
   * request begins when it is sent. Redirects that the other client follows by itself, and
   * WebSockets, are not limited.
   *
   * @param client makes the calls; closing it remains with its owner
   * @return the limited client
   */
  public HttpClient limiting(HttpClient client) {
    return new LimitedHttpClient(this, client);
  }

  /**
   * Acquires a permit for one call, waiting for it if necessary. No thread waits.
   *
   * @param target the URI to be called
   * @return completes when the call may be made, or with {@link OutgoingLimitException} as soon as
   *     it is known that it would have to wait for too long; on another thread if it had to wait.
   *     Cancelling it withdraws the call, and spends nothing
   * @throws IllegalArgumentException if the target has no scheme or host
   */
  public CompletionStage<Void> acquire(URI target) {
    return calls.begin(Origin.of(target));
  }

  /**
   * The blocking form of {@link #acquire}.
   *
   * @param target the URI to be called
   * @throws OutgoingLimitException if the call would have to wait for too long
   * @throws InterruptedException if the thread is interrupted before or while waiting; nothing is
   *     spent then
   * @throws IllegalArgumentException if the target has no scheme or host
   */
  public void acquireBlocking(URI target) throws OutgoingLimitException, InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before spending");
    }
    CompletableFuture<Void> acquired = calls.begin(Origin.of(target));
    try {
      acquired.get();
    } catch (InterruptedException e) {
      if (acquired.cancel(false) || acquired.isCompletedExceptionally()) {
        throw e;
      }
      // Admitted in the same moment: the permit is spent, and the call notices the interruption.
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof OutgoingLimitException tooLong) {
        throw tooLong;
      }
      throw new IllegalStateException("cannot decide about a call", e.getCause());
    }
  }

  /**
   * Learns from a response, which may begin a pause: at once in this process, and soon in those
   * that share the store. A pause never becomes shorter.
   *
   * @param target the URI that was called
   * @param status the status of the response
   * @param fields returns the values of a field by its name in any case; empty or null if there is
   *     none
   * @return completes when a pause is shared, or could not be; never exceptionally. Need not be
   *     waited for
   * @throws IllegalArgumentException if the target has no scheme or host
   */
  public CompletionStage<Void> learn(
      URI target, int status, Function<String, ? extends @Nullable List<String>> fields) {
    String origin = Origin.of(target);
    Duration wait = RemoteAdvice.waitOf(status, fields, wallClock.instant(), defaultPause);
    if (wait.isZero()) {
      return CompletableFuture.completedFuture(null);
    }
    Duration pause = wait.compareTo(maxPause) < 0 ? wait : maxPause;
    return pauses.extend(
        origin,
        pause,
        () -> LOG.info("{} responded with {}: not called again for {}", origin, status, pause));
  }

  /** Builder for {@link OutgoingLimiter}. */
  public static final class Builder {
    private final Store store;
    private @Nullable RateLimiter limiter;
    private Duration maxWait = Duration.ofSeconds(1);
    private int maxWaiting = 1_000;
    private Duration maxPause = Duration.ofHours(1);
    private Duration defaultPause = Duration.ofSeconds(1);
    private InstantSource wallClock = InstantSource.system();

    private Builder(Store store) {
      this.store = store;
    }

    /**
     * Limits the calls to each origin: short for {@link #limiter} with a limiter of the store.
     *
     * @param policy the limits, and how to decide while the store is unavailable
     * @return this builder
     */
    public Builder policy(Policy policy) {
      return limiter(store.limiter(Objects.requireNonNull(policy, "policy must not be null")));
    }

    /**
     * Limits the calls to each origin. The key is the origin, such as {@code
     * https://api.example.com} or {@code http://localhost:8080}, so that tiers of the policy can
     * give some of them other limits. Without a policy, only pauses hold calls back.
     *
     * @param newLimiter spends one permit for each call
     * @return this builder
     */
    public Builder limiter(RateLimiter newLimiter) {
      this.limiter = Objects.requireNonNull(newLimiter, "limiter must not be null");
      return this;
    }

    /**
     * Sets the longest time for a call to wait, for a permit or for the end of a pause. A call that
     * would have to wait longer fails.
     *
     * @param longest 0, so that no call waits, to 11 days; a second by default
     * @return this builder
     */
    public Builder maxWait(Duration longest) {
      this.maxWait = check("maxWait", longest, Duration.ZERO);
      return this;
    }

    /**
     * Sets the number of calls that may wait at the same time in this process, to all origins
     * together. Further calls fail instead of waiting.
     *
     * @param most 0 to 1,000,000; 1,000 by default
     * @return this builder
     */
    public Builder maxWaiting(int most) {
      if (most < 0 || most > 1_000_000) {
        throw new IllegalArgumentException("maxWaiting must be between 0 and 1000000, was " + most);
      }
      this.maxWaiting = most;
      return this;
    }

    /**
     * Sets the longest pause, whatever a response says.
     *
     * @param longest a millisecond to 11 days; an hour by default
     * @return this builder
     */
    public Builder maxPause(Duration longest) {
      this.maxPause = check("maxPause", longest, Duration.ofMillis(1));
      return this;
    }

    /**
     * Sets the length of the pause after a response with status 429 that does not say when to call
     * again.
     *
     * @param pause 0, for no pause, to 11 days; a second by default. At most {@link #maxPause} is
     *     used
     * @return this builder
     */
    public Builder defaultPause(Duration pause) {
      this.defaultPause = check("defaultPause", pause, Duration.ZERO);
      return this;
    }

    /** Sets the clock for dates in responses that do not have the date of the response itself. */
    Builder wallClock(InstantSource clock) {
      this.wallClock = clock;
      return this;
    }

    /**
     * Builds the limiter.
     *
     * @return the limiter
     */
    public OutgoingLimiter build() {
      return new OutgoingLimiter(this);
    }

    private static Duration check(String name, Duration value, Duration least) {
      Objects.requireNonNull(value, name + " must not be null");
      if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            name + " must be between " + least + " and " + LONGEST + ", was " + value);
      }
      return value;
    }
  }
}
