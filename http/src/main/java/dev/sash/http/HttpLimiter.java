package dev.sash.http;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import dev.sash.address.AddressRanges;
import dev.sash.http.internal.AccessLists;
import dev.sash.http.internal.WaitingRequest;
import dev.sash.http.internal.WaitingRequests;
import dev.sash.key.Keys;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits HTTP requests. Immutable and thread-safe.
 *
 * <pre>{@code
 * HttpLimiter limiter = HttpLimiter.builder()
 *     .trustedProxies(TrustedProxies.xForwardedFor("10.0.0.0/8"))
 *     .rule(HttpRule.forPaths("/login").methods("POST")
 *         .charge(Charge.of(logins, KeyExtractor.clientAddress()).onlyIfStatus(s -> s == 401)))
 *     .rule(HttpRule.forPaths("/api/**").charge(api, KeyExtractor.principal()))
 *     .build();
 *
 * limiter.check(request).thenAccept(verdict -> ...);
 * }</pre>
 *
 * <p>A request is decided in this order: a client on the deny list is denied (403); a preflight
 * request of CORS, an exempt path and a client on the allow list are not limited; the matching
 * rules determine keys and limiters; a key on the deny list is denied, one on the allow list is not
 * limited; every limiter is charged, or none. A request that no rule matches is not limited.
 */
public final class HttpLimiter {
  private static final List<String> HEALTH_CHECKS =
      List.of("/livez", "/readyz", "/healthz", "/health", "/actuator/health/**");

  private final TrustedProxies proxies;
  private final List<HttpRule> rules;
  private final AccessLists lists;
  private final Verdicts verdicts;

  /** Shared by the limiters that this one is divided into. */
  private final WaitingRequests waiting;

  private HttpLimiter(
      TrustedProxies proxies,
      List<HttpRule> rules,
      AccessLists lists,
      Verdicts verdicts,
      WaitingRequests waiting) {
    this.proxies = proxies;
    this.rules = rules;
    this.lists = lists;
    this.verdicts = verdicts;
    this.waiting = waiting;
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
   * Decides a request. Does not block.
   *
   * @param view the request; not read after this method has returned
   * @return completes with the verdict; may be complete already. Completes exceptionally only if a
   *     key, a cost, a condition, a tier or a limiter fails; then nothing stays charged. Cancelling
   *     it withdraws the request: what is charged is refunded, and it {@linkplain Charge#maxWait
   *     waits} no longer
   */
  public CompletionStage<Verdict> check(RequestView view) {
    return checked(view, null);
  }

  /**
   * Decides a request that another limiter has admitted before, for example one that is called
   * before authentication. If this limiter denies the request, what the earlier one charged is
   * refunded: the request is charged by both or by none. Does not block.
   *
   * @param view the request; not read after this method has returned
   * @param earlier the verdict of the earlier limiter, which admitted the request
   * @return completes like {@link #check(RequestView)}, with the decisions of both limiters
   */
  public CompletionStage<Verdict> check(RequestView view, Verdict earlier) {
    return checked(view, Objects.requireNonNull(earlier, "earlier must not be null"));
  }

  private CompletionStage<Verdict> checked(RequestView view, @Nullable Verdict earlier) {
    CompletionStage<Verdict> verdict;
    try {
      verdict = decide(new IncomingRequest(view, proxies), earlier);
    } catch (RuntimeException e) {
      verdict = CompletableFuture.failedFuture(e);
    }
    if (earlier != null) {
      var unused =
          verdict.whenComplete(
              (decided, failure) -> {
                if (failure != null) {
                  earlier.giveBack();
                }
              });
    }
    return verdict;
  }

  /**
   * Charges a failed login to the policies that did not charge it when the request arrived, since
   * its path or its fields did not show that it tries to log in. Charges {@linkplain
   * Charge#onlyIfLoginFailed what is charged for failed logins only}, whether it fits or not. Does
   * not block.
   *
   * @param view the request, with the {@linkplain RequestView#loginName name} that failed
   * @param verdict the verdict on the request
   */
  public void chargeFailedLogin(RequestView view, Verdict verdict) {
    if (verdict.isExempt()) {
      return;
    }
    IncomingRequest request = new IncomingRequest(view, proxies);
    if (isExempt(request)) {
      return;
    }
    for (HttpRule rule : rules) {
      if (rule.matchesPathAndMethod(request)) {
        for (Charge charge : rule.charges()) {
          if (charge.isForFailedLogins()) {
            PendingCharge pending = charge.pendingFor(request);
            if (pending != null
                && !lists.exempt(List.of(pending))
                && !verdict.chargesFailedLoginTo(pending.policy())) {
              pending.charge();
            }
          }
        }
        if (!rule.continues()) {
          break;
        }
      }
    }
  }

  /**
   * Returns a limiter with the same rules but only some of their charges. This divides a limiter in
   * two, one to be called before and one after authentication; see {@link Charge#usesPrincipal}.
   * The rules match as before: one that does not continue ends the search in both.
   *
   * @param condition returns whether to keep a charge
   * @return the limiter; it charges nothing if no charge is kept
   */
  public HttpLimiter withCharges(Predicate<Charge> condition) {
    List<HttpRule> some = rules.stream().map(rule -> rule.withCharges(condition)).toList();
    return new HttpLimiter(proxies, some, lists, verdicts, waiting);
  }

  /**
   * Returns all charges of all rules.
   *
   * @return unmodifiable, in the order of the rules
   */
  public List<Charge> charges() {
    return rules.stream().flatMap(rule -> rule.charges().stream()).toList();
  }

  /**
   * Returns a verdict on decisions that were made elsewhere, for example by a limiter that the
   * application called itself. Charges nothing.
   *
   * @param view the request
   * @param decisions the decision of each policy
   * @return admitted if all policies admit the request
   */
  public Verdict report(RequestView view, List<PolicyDecision> decisions) {
    return verdicts.on(List.copyOf(decisions), () -> RequestSummary.of(view));
  }

  private CompletionStage<Verdict> decide(IncomingRequest request, @Nullable Verdict earlier) {
    if (lists.deny(request::client)) {
      return CompletableFuture.completedFuture(forbidden(request, earlier));
    }
    if (isPreflight(request.view())) {
      return CompletableFuture.completedFuture(unlimited(Verdict.NOT_LIMITED, earlier));
    }
    if (isExempt(request) || (earlier != null && earlier.isExempt())) {
      return CompletableFuture.completedFuture(unlimited(Verdict.EXEMPT, earlier));
    }
    List<PendingCharge> charges = charges(request);
    if (lists.deny(charges)) {
      return CompletableFuture.completedFuture(forbidden(request, earlier));
    }
    if (lists.exempt(charges)) {
      return CompletableFuture.completedFuture(unlimited(Verdict.EXEMPT, earlier));
    }
    if (charges.isEmpty()) {
      return CompletableFuture.completedFuture(unlimited(Verdict.NOT_LIMITED, earlier));
    }
    for (PendingCharge charge : charges) {
      if (charge.mayWait()) {
        return decideOrWait(request, charges, earlier);
      }
    }
    CompletableFuture<List<Decision>> charged = AllOrNothing.tryAcquire(charges);
    Supplier<RequestSummary> summary = summaryOf(request, charged.isDone());
    return cancellable(
        charged.thenCompose(decisions -> verdicts.on(charges, decisions, summary, earlier)),
        () -> {});
  }

  private CompletionStage<Verdict> decideOrWait(
      IncomingRequest request, List<PendingCharge> charges, @Nullable Verdict earlier) {
    WaitingRequest waits =
        waiting.begin(
            charges,
            earlier == null
                ? null
                : new WaitingRequest.Earlier(earlier::chargesToRepeat, earlier::refunded));
    Supplier<RequestSummary> summary = summaryOf(request, waits.outcome().isDone());
    return cancellable(
        waits.outcome().thenCompose(outcome -> verdicts.on(charges, outcome, summary, earlier)),
        () -> waiting.withdraw(waits));
  }

  /** Returns a stage whose cancellation refunds what is charged nevertheless. */
  private static CompletionStage<Verdict> cancellable(
      CompletableFuture<Verdict> pending, Runnable withdraw) {
    if (pending.isDone()) {
      return pending;
    }
    CompletableFuture<Verdict> result = new CompletableFuture<>();
    var unused =
        pending.whenComplete(
            (verdict, failure) -> {
              if (verdict == null) {
                result.completeExceptionally(
                    Objects.requireNonNull(failure, "failure must not be null"));
              } else if (!result.complete(verdict)) {
                verdict.giveBack(); // cancelled meanwhile
              }
            });
    var unusedToo =
        result.whenComplete(
            (verdict, failure) -> {
              if (result.isCancelled()) {
                withdraw.run();
              }
            });
    return result;
  }

  /** Returns the number of keys that requests wait for. */
  int keysWaitedFor() {
    return waiting.lines();
  }

  /** Returns the verdict on a request that this limiter does not limit. */
  private static Verdict unlimited(Verdict unlimited, @Nullable Verdict earlier) {
    return earlier == null ? unlimited : unlimited.after(earlier);
  }

  /**
   * Browsers send these by themselves before a request, and without credentials: they are not the
   * application's requests, and a denied one would hide the denial from the page.
   */
  private static boolean isPreflight(RequestView view) {
    return view.method().equals("OPTIONS")
        && view.header("Origin") != null
        && view.header("Access-Control-Request-Method") != null;
  }

  /** Only denials need the summary, but the request must not be read later. */
  private static Supplier<RequestSummary> summaryOf(IncomingRequest request, boolean now) {
    if (now) {
      return () -> RequestSummary.of(request.view());
    }
    RequestSummary summary = RequestSummary.of(request.view());
    return () -> summary;
  }

  private boolean isExempt(IncomingRequest request) {
    return lists.exempt(request.requestPath()) || lists.exempt(request::client);
  }

  private List<PendingCharge> charges(IncomingRequest request) {
    List<PendingCharge> charges = new ArrayList<>();
    for (HttpRule rule : rules) {
      if (rule.matches(request)) {
        for (Charge charge : rule.charges()) {
          PendingCharge pending = charge.pendingFor(request);
          if (pending != null) {
            charges.add(pending);
          }
        }
        if (!rule.continues()) {
          break;
        }
      }
    }
    return charges;
  }

  private Verdict forbidden(IncomingRequest request, @Nullable Verdict earlier) {
    if (earlier != null) {
      earlier.giveBack();
    }
    return verdicts.forbidden(RequestSummary.of(request.view()));
  }

  /** Builder for {@link HttpLimiter}. Not thread-safe. */
  public static final class Builder {
    private TrustedProxies proxies = TrustedProxies.none();
    private final List<HttpRule> rules = new ArrayList<>();
    private final List<String> exempt = new ArrayList<>(HEALTH_CHECKS);
    private final List<String> allowedAddresses = new ArrayList<>();
    private final List<String> deniedAddresses = new ArrayList<>();
    private final Set<String> allowedKeys = new HashSet<>();
    private final Set<String> deniedKeys = new HashSet<>();
    private Set<FieldStyle> styles = EnumSet.of(FieldStyle.RATELIMIT);
    private InstantSource wallClock = InstantSource.system();
    private DenialFormat denials = Denial::standard;

    private Builder() {}

    /**
     * Sets the proxies that are trusted to report clients' addresses.
     *
     * @param proxies {@link TrustedProxies#none} by default
     * @return this
     */
    public Builder trustedProxies(TrustedProxies proxies) {
      this.proxies = Objects.requireNonNull(proxies, "proxies must not be null");
      return this;
    }

    /**
     * Adds a rule, after those added before.
     *
     * @param rule the rule; one without charges does not limit the requests that it matches
     * @return this
     */
    public Builder rule(HttpRule rule) {
      rules.add(Objects.requireNonNull(rule, "rule must not be null"));
      return this;
    }

    /**
     * Exempts paths from all limits, in addition to the health checks {@code /livez}, {@code
     * /readyz}, {@code /healthz}, {@code /health} and {@code /actuator/health/**}.
     *
     * @param patterns as in {@link HttpRule}
     * @return this
     */
    public Builder exempt(String... patterns) {
      exempt.addAll(Arrays.asList(patterns));
      return this;
    }

    /**
     * Limits some health checks like other requests.
     *
     * @param patterns among those that {@link #exempt} lists
     * @return this
     */
    public Builder limitHealthChecks(Collection<String> patterns) {
      exempt.removeAll(patterns);
      return this;
    }

    /**
     * Returns the patterns of health checks, which are exempt unless {@link #limitHealthChecks()}
     * is called.
     *
     * @return unmodifiable
     */
    public static List<String> healthChecks() {
      return HEALTH_CHECKS;
    }

    /**
     * Limits health checks like other requests.
     *
     * @return this
     */
    public Builder limitHealthChecks() {
      exempt.removeAll(HEALTH_CHECKS);
      return this;
    }

    /**
     * Exempts clients from all limits.
     *
     * @param ranges as in {@link AddressRanges}
     * @return this
     */
    public Builder allowAddresses(String... ranges) {
      allowedAddresses.addAll(Arrays.asList(ranges));
      return this;
    }

    /**
     * Denies all requests of some clients.
     *
     * @param ranges as in {@link AddressRanges}
     * @return this
     */
    public Builder denyAddresses(String... ranges) {
      deniedAddresses.addAll(Arrays.asList(ranges));
      return this;
    }

    /**
     * Exempts keys from all limits.
     *
     * @param keys as a rule's {@link KeyExtractor} returns them, for example {@code user:ann}
     * @return this
     */
    public Builder allowKeys(String... keys) {
      allowedKeys.addAll(fitting(keys));
      return this;
    }

    /**
     * Denies the requests of some keys, if a rule charges them.
     *
     * @param keys as a rule's {@link KeyExtractor} returns them, for example {@code user:eve}
     * @return this
     */
    public Builder denyKeys(String... keys) {
      deniedKeys.addAll(fitting(keys));
      return this;
    }

    private static List<String> fitting(String... keys) {
      return Arrays.stream(keys).map(Keys::fitting).toList();
    }

    /**
     * Sets the header fields in which responses report the limits and what remains.
     *
     * @param styles {@link FieldStyle#RATELIMIT} by default; none for {@code Retry-After} only
     * @return this
     */
    public Builder fields(FieldStyle... styles) {
      Set<FieldStyle> chosen = EnumSet.noneOf(FieldStyle.class);
      chosen.addAll(Arrays.asList(styles));
      this.styles = chosen;
      return this;
    }

    /**
     * Sets how the response to a denied request is written.
     *
     * @param denials {@link Denial#standard()} by default
     * @return this
     */
    public Builder denials(DenialFormat denials) {
      this.denials = Objects.requireNonNull(denials, "denials must not be null");
      return this;
    }

    /**
     * Sets the clock for {@link FieldStyle#X_RATELIMIT_EPOCH}.
     *
     * @param wallClock the system's clock by default
     * @return this
     */
    public Builder wallClock(InstantSource wallClock) {
      this.wallClock = Objects.requireNonNull(wallClock, "wallClock must not be null");
      return this;
    }

    /**
     * Returns the limiter.
     *
     * @return a new limiter
     * @throws IllegalArgumentException if there is no rule, or a pattern or range is malformed
     */
    public HttpLimiter build() {
      if (rules.isEmpty()) {
        throw new IllegalArgumentException("rules must be 1 or more, were 0");
      }
      AccessLists lists =
          new AccessLists(exempt, allowedAddresses, deniedAddresses, allowedKeys, deniedKeys);
      Verdicts verdicts = new Verdicts(new RateLimitFields(styles, wallClock), denials);
      return new HttpLimiter(proxies, List.copyOf(rules), lists, verdicts, new WaitingRequests());
    }
  }
}
