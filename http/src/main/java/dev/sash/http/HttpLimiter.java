package dev.sash.http;

import dev.sash.Decision;
import dev.sash.address.AddressRanges;
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
 * <p>A request is decided in this order: a client on the deny list is refused (403); an exempt path
 * and a client on the allow list pass; the rules that fit name keys and limiters; a key on the deny
 * list is refused, one on the allow list passes; every limiter is charged, or none. A request that
 * no rule fits is not limited.
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
   * A limiter of your own making.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Decides a request. Does not block.
   *
   * @param view the request; read before this method returns, and not afterwards
   * @return completes with the verdict; may be complete already. Fails only if a key, a cost, a
   *     condition or a limiter does, and then nothing stays charged
   */
  public CompletionStage<Verdict> check(RequestView view) {
    try {
      return decide(new IncomingRequest(view, proxies));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * What a response says about decisions that were made elsewhere, as by a limiter which the
   * application asked itself. Asks and charges nobody.
   *
   * @param view the request
   * @param decisions what each policy said
   * @return admitted if all of them are
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
    List<Asking> askings = askings(request);
    if (namesOneOf(deniedKeys, askings)) {
      return CompletableFuture.completedFuture(forbidden(request));
    }
    if (askings.isEmpty() || namesOneOf(allowedKeys, askings)) {
      return CompletableFuture.completedFuture(NOT_LIMITED);
    }
    CompletableFuture<List<Decision>> charged = AllOrNothing.charge(askings);
    Supplier<List<String>> accept = acceptOf(request, charged.isDone());
    return charged.thenApply(decisions -> verdict(askings, answers(askings, decisions), accept));
  }

  /** Only denials need the field, but nothing is read once others have the request. */
  private static Supplier<List<String>> acceptOf(IncomingRequest request, boolean now) {
    if (now) {
      return () -> request.view().headers("Accept");
    }
    List<String> accept = request.view().headers("Accept");
    return () -> accept;
  }

  /** Most applications have no such lists, and then need not know the address. */
  private static boolean isOneOf(AddressRanges addresses, IncomingRequest request) {
    return !addresses.isEmpty() && addresses.contains(request.client());
  }

  private boolean isExempt(RequestPath path) {
    return !path.ambiguous() && PathPattern.oneMatches(exempt, path);
  }

  private static boolean namesOneOf(Set<String> keys, List<Asking> askings) {
    return !keys.isEmpty() && askings.stream().anyMatch(asking -> keys.contains(asking.key()));
  }

  private List<Asking> askings(IncomingRequest request) {
    List<Asking> askings = new ArrayList<>();
    for (HttpRule rule : rules) {
      if (rule.fits(request)) {
        for (Charge charge : rule.charges()) {
          Asking asking = charge.askingFor(request);
          if (asking != null) {
            askings.add(asking);
          }
        }
        if (!rule.continues()) {
          break;
        }
      }
    }
    return askings;
  }

  private static Verdict forbidden(IncomingRequest request) {
    return Verdict.denied(
        DenialBody.Problem.FORBIDDEN, List.of(), Map.of(), request.view().headers("Accept"));
  }

  private static List<PolicyDecision> answers(List<Asking> askings, List<Decision> decisions) {
    List<PolicyDecision> answers = new ArrayList<>(decisions.size());
    for (int i = 0; i < decisions.size(); i++) {
      answers.add(askings.get(i).answered(decisions.get(i)));
    }
    return answers;
  }

  private Verdict verdict(
      List<Asking> askings, List<PolicyDecision> answers, Supplier<List<String>> accept) {
    Map<String, String> headers = fields.write(answers);
    boolean denied = false;
    boolean overLimit = false;
    for (PolicyDecision answer : answers) {
      Decision decision = answer.decision();
      denied |= !decision.allowed();
      overLimit |=
          !decision.allowed()
              && (decision.source() != Decision.Source.FAILURE_RULE || decision.neverAllowed());
    }
    if (!denied) {
      return Verdict.allowed(answers, headers, askings);
    }
    return Verdict.denied(
        overLimit ? DenialBody.Problem.QUOTA_EXCEEDED : DenialBody.Problem.REDUCED_CAPACITY,
        answers,
        headers,
        accept.get());
  }

  /** How a limiter is to be. Not thread-safe. */
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
     * Whom to believe about clients' addresses.
     *
     * @param proxies {@link TrustedProxies#none} unless given
     * @return this
     */
    public Builder trustedProxies(TrustedProxies proxies) {
      this.proxies = Objects.requireNonNull(proxies, "proxies must not be null");
      return this;
    }

    /**
     * Adds a rule behind those given before.
     *
     * @param rule charges something, or lets requests pass that it fits
     * @return this
     */
    public Builder rule(HttpRule rule) {
      rules.add(Objects.requireNonNull(rule, "rule must not be null"));
      return this;
    }

    /**
     * Does not limit these paths, besides the health checks {@code /livez}, {@code /readyz}, {@code
     * /healthz}, {@code /health} and {@code /actuator/health/**}.
     *
     * @param patterns as in {@link HttpRule}
     * @return this
     */
    public Builder exempt(String... patterns) {
      exempt.addAll(Arrays.asList(patterns));
      return this;
    }

    /**
     * Limits health checks like everything else.
     *
     * @return this
     */
    public Builder limitHealthChecks() {
      exempt.removeAll(HEALTH_CHECKS);
      return this;
    }

    /**
     * Does not limit these clients.
     *
     * @param ranges as in {@link AddressRanges}
     * @return this
     */
    public Builder allowAddresses(String... ranges) {
      allowedAddresses.addAll(Arrays.asList(ranges));
      return this;
    }

    /**
     * Refuses these clients, whatever they ask.
     *
     * @param ranges as in {@link AddressRanges}
     * @return this
     */
    public Builder denyAddresses(String... ranges) {
      deniedAddresses.addAll(Arrays.asList(ranges));
      return this;
    }

    /**
     * Does not limit these callers.
     *
     * @param keys as a rule's {@link KeyExtractor} finds them, for example {@code user:ann}
     * @return this
     */
    public Builder allowKeys(String... keys) {
      allowedKeys.addAll(fitting(keys));
      return this;
    }

    /**
     * Refuses these callers wherever a rule names them.
     *
     * @param keys as a rule's {@link KeyExtractor} finds them, for example {@code user:eve}
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
     * In which header fields responses tell what is left.
     *
     * @param styles {@link FieldStyle#RATELIMIT} unless given; none to say nothing but {@code
     *     Retry-After}
     * @return this
     */
    public Builder fields(FieldStyle... styles) {
      Set<FieldStyle> chosen = EnumSet.noneOf(FieldStyle.class);
      chosen.addAll(Arrays.asList(styles));
      this.styles = chosen;
      return this;
    }

    /**
     * What tells the date, for {@link FieldStyle#X_RATELIMIT_EPOCH}.
     *
     * @param wallClock the system's clock unless given
     * @return this
     */
    public Builder wallClock(InstantSource wallClock) {
      this.wallClock = Objects.requireNonNull(wallClock, "wallClock must not be null");
      return this;
    }

    /**
     * The limiter.
     *
     * @return a new limiter
     * @throws IllegalArgumentException if there is no rule, or something cannot be read
     */
    public HttpLimiter build() {
      if (rules.isEmpty()) {
        throw new IllegalArgumentException("rules must be 1 or more, were 0");
      }
      return new HttpLimiter(this);
    }
  }
}
