package dev.sash.http;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import dev.sash.address.AddressRanges;
import dev.sash.http.internal.PathPattern;
import dev.sash.http.internal.RequestPath;
import dev.sash.key.Keys;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

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
 * <p>A request is decided in this order: a client on the deny list is denied (403); an exempt path
 * and a client on the allow list are not limited; the matching rules determine keys and limiters; a
 * key on the deny list is denied, one on the allow list is not limited; every limiter is charged,
 * or none. A request that no rule matches is not limited.
 */
public final class HttpLimiter {
  private static final List<String> HEALTH_CHECKS =
      List.of("/livez", "/readyz", "/healthz", "/health", "/actuator/health/**");
  private static final Verdict NOT_LIMITED = Verdict.allowed(List.of(), Map.of(), List.of());

  private final TrustedProxies proxies;
  private final List<HttpRule> rules;
  private final List<PathPattern> exempt;
  private final AddressRanges allowedAddresses;
  private final AddressRanges deniedAddresses;
  private final Set<String> allowedKeys;
  private final Set<String> deniedKeys;
  private final RateLimitFields fields;

  private HttpLimiter(Builder builder) {
    proxies = builder.proxies;
    rules = List.copyOf(builder.rules);
    exempt = builder.exempt.stream().map(PathPattern::parse).toList();
    allowedAddresses = AddressRanges.of(builder.allowedAddresses);
    deniedAddresses = AddressRanges.of(builder.deniedAddresses);
    allowedKeys = Set.copyOf(builder.allowedKeys);
    deniedKeys = Set.copyOf(builder.deniedKeys);
    fields = new RateLimitFields(builder.styles, builder.wallClock);
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
   *     key, a cost, a condition, a tier or a limiter fails; then nothing stays charged
   */
  public CompletionStage<Verdict> check(RequestView view) {
    try {
      return decide(new IncomingRequest(view, proxies));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
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
    return verdict(List.of(), List.copyOf(decisions), () -> view.headers("Accept"));
  }

  private CompletionStage<Verdict> decide(IncomingRequest request) {
    if (isOneOf(deniedAddresses, request)) {
      return CompletableFuture.completedFuture(forbidden(request));
    }
    if (isExempt(request.requestPath()) || isOneOf(allowedAddresses, request)) {
      return CompletableFuture.completedFuture(NOT_LIMITED);
    }
    List<PendingCharge> charges = charges(request);
    if (containKeyOf(deniedKeys, charges)) {
      return CompletableFuture.completedFuture(forbidden(request));
    }
    if (charges.isEmpty() || containKeyOf(allowedKeys, charges)) {
      return CompletableFuture.completedFuture(NOT_LIMITED);
    }
    CompletableFuture<List<Decision>> charged = AllOrNothing.tryAcquire(charges);
    Supplier<List<String>> accept = acceptOf(request, charged.isDone());
    return charged.thenApply(decisions -> verdict(charges, decided(charges, decisions), accept));
  }

  /** Only denials need the field, but the request must not be read later. */
  private static Supplier<List<String>> acceptOf(IncomingRequest request, boolean now) {
    if (now) {
      return () -> request.view().headers("Accept");
    }
    List<String> accept = request.view().headers("Accept");
    return () -> accept;
  }

  /** Without such lists, which is usual, the address is not needed. */
  private static boolean isOneOf(AddressRanges addresses, IncomingRequest request) {
    return !addresses.isEmpty() && addresses.contains(request.client());
  }

  private boolean isExempt(RequestPath path) {
    return !path.ambiguous() && PathPattern.oneMatches(exempt, path);
  }

  private static boolean containKeyOf(Set<String> keys, List<PendingCharge> charges) {
    return !keys.isEmpty()
        && charges.stream().anyMatch(charge -> keys.contains(charge.target().key()));
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

  private static Verdict forbidden(IncomingRequest request) {
    return Verdict.denied(
        DenialBody.Problem.FORBIDDEN, List.of(), Map.of(), request.view().headers("Accept"));
  }

  private static List<PolicyDecision> decided(
      List<PendingCharge> charges, List<Decision> decisions) {
    List<PolicyDecision> decided = new ArrayList<>(decisions.size());
    for (int i = 0; i < decisions.size(); i++) {
      decided.add(charges.get(i).decided(decisions.get(i)));
    }
    return decided;
  }

  private Verdict verdict(
      List<PendingCharge> charges, List<PolicyDecision> decisions, Supplier<List<String>> accept) {
    Map<String, String> headers = fields.write(decisions);
    boolean denied = false;
    boolean overLimit = false;
    for (PolicyDecision each : decisions) {
      Decision decision = each.decision();
      denied |= !decision.allowed();
      overLimit |=
          !decision.allowed()
              && (decision.source() != Decision.Source.FAILURE_RULE || decision.neverAllowed());
    }
    if (!denied) {
      return Verdict.allowed(decisions, headers, charges);
    }
    return Verdict.denied(
        overLimit ? DenialBody.Problem.QUOTA_EXCEEDED : DenialBody.Problem.REDUCED_CAPACITY,
        decisions,
        headers,
        accept.get());
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
      return new HttpLimiter(this);
    }
  }
}
