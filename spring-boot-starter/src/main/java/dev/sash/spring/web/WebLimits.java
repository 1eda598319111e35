package dev.sash.spring.web;

import static dev.sash.spring.config.BadConfigurationException.check;

import dev.sash.LimiterRegistry;
import dev.sash.address.AddressRanges;
import dev.sash.http.Charge;
import dev.sash.http.FieldStyle;
import dev.sash.http.HttpLimiter;
import dev.sash.http.HttpRule;
import dev.sash.http.KeyExtractor;
import dev.sash.http.RequestCost;
import dev.sash.http.TrustedProxies;
import dev.sash.spring.HttpLimiterCustomizer;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.ConfiguredPolicy;
import dev.sash.spring.config.SashProperties;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Makes what limits requests. Whatever is wrong is said with the name of the property, when this is
 * made and not with the first request.
 */
public final class WebLimits {
  private static final String WEB = "sash.web.";

  private final SashProperties.Web web;
  private final ConfiguredPolicies policies;
  private final LimiterRegistry limiters;
  private final TrustedProxies proxies;
  private final Map<String, KeyExpression> keys = new LinkedHashMap<>();

  /**
   * From properties.
   *
   * @param web what holds for all requests
   * @param policies what is limited
   * @param limiters decide
   * @param beans finds a {@link KeyExtractor} by its name; throws an IllegalArgumentException if
   *     there is none
   */
  public WebLimits(
      SashProperties.Web web,
      ConfiguredPolicies policies,
      LimiterRegistry limiters,
      Function<String, KeyExtractor> beans) {
    this.web = web;
    this.policies = policies;
    this.limiters = limiters;
    this.proxies = proxies();
    for (ConfiguredPolicy policy : policies) {
      keys.put(
          policy.name(),
          check(
              policy.property("key"), () -> KeyExpression.parse(policy.properties().key(), beans)));
      var unused = charge(policy);
    }
  }

  /**
   * Limits requests by their paths.
   *
   * @param exemptPaths are exempt besides those of the properties
   * @param customizers add what is not in properties
   * @return the limiter
   */
  public HttpLimiter forPaths(
      Collection<String> exemptPaths, List<HttpLimiterCustomizer> customizers) {
    HttpLimiter.Builder builder = common();
    if (web.limitHealthChecks()) {
      builder.limitHealthChecks();
    } else {
      builder.exempt(exemptPaths.toArray(String[]::new));
    }
    var unused =
        check(WEB + "exempt-paths", () -> HttpRule.forPaths(orEverything(web.exemptPaths())));
    builder.exempt(web.exemptPaths().toArray(String[]::new));
    for (ConfiguredPolicy policy : policies) {
      if (!policy.paths().isEmpty()) {
        builder.rule(rule(policy));
      }
    }
    customizers.forEach(customizer -> customizer.customize(builder));
    builder.rule(HttpRule.forEverything()); // charges nothing; lists hold without any policy, too
    return builder.build();
  }

  private static String[] orEverything(List<String> paths) {
    return paths.isEmpty() ? new String[] {"/**"} : paths.toArray(String[]::new);
  }

  /**
   * Limits the requests of a handler that is annotated.
   *
   * @param policy the policy's name
   * @param permits what each costs
   * @return the limiter; no path is exempt
   */
  public HttpLimiter forHandler(String policy, long permits) {
    ConfiguredPolicy configured = policies.find(policy);
    if (configured == null) {
      throw new IllegalArgumentException(
          "policy must be one of " + policies.names() + ", was '" + policy + "'");
    }
    return common()
        .limitHealthChecks()
        .rule(HttpRule.forEverything().charge(charge(configured).cost(RequestCost.fixed(permits))))
        .build();
  }

  /**
   * Whether a key of a request is who is authenticated.
   *
   * @return true if the filter has to come after whatever authenticates
   */
  public boolean usePrincipal() {
    for (ConfiguredPolicy policy : policies) {
      if (!policy.paths().isEmpty() && key(policy).usesPrincipal()) {
        return true;
      }
    }
    return false;
  }

  private HttpLimiter.Builder common() {
    HttpLimiter.Builder builder =
        HttpLimiter.builder()
            .trustedProxies(proxies)
            .allowKeys(web.allowKeys().toArray(String[]::new))
            .denyKeys(web.denyKeys().toArray(String[]::new))
            .allowAddresses(ranges("allow-addresses", web.allowAddresses()))
            .denyAddresses(ranges("deny-addresses", web.denyAddresses()));
    if (web.fields().contains(FieldStyle.X_RATELIMIT_DELTA)
        && web.fields().contains(FieldStyle.X_RATELIMIT_EPOCH)) {
      throw BadConfigurationException.property(
          WEB + "fields", "must not have both x-ratelimit-delta and x-ratelimit-epoch");
    }
    return builder.fields(web.fields().toArray(FieldStyle[]::new));
  }

  private static String[] ranges(String property, List<String> ranges) {
    String[] texts = ranges.toArray(String[]::new);
    var unused = check(WEB + property, () -> AddressRanges.of(texts));
    return texts;
  }

  private TrustedProxies proxies() {
    if (web.trustedProxies().isEmpty()) {
      return TrustedProxies.none();
    }
    String[] ranges = ranges("trusted-proxies", web.trustedProxies());
    return switch (web.trustedProxyHeader().toLowerCase(Locale.ROOT)) {
      case "x-forwarded-for" -> TrustedProxies.xForwardedFor(ranges);
      case "forwarded" -> TrustedProxies.forwarded(ranges);
      default ->
          check(
              WEB + "trusted-proxy-header",
              () -> TrustedProxies.header(web.trustedProxyHeader(), ranges));
    };
  }

  private HttpRule rule(ConfiguredPolicy policy) {
    HttpRule rule =
        check(
            policy.property("paths"),
            () -> HttpRule.forPaths(policy.paths().toArray(String[]::new)));
    List<String> methods = policy.properties().methods();
    HttpRule forMethods =
        methods.isEmpty()
            ? rule
            : check(policy.property("methods"), () -> rule.methods(methods.toArray(String[]::new)));
    HttpRule charging = forMethods.charge(charge(policy).cost(cost(policy)));
    return policy.properties().continues() ? charging.thenContinue() : charging;
  }

  private Charge charge(ConfiguredPolicy policy) {
    Charge charge = Charge.of(limiters.get(policy.name()), key(policy).extractor());
    if (policy.properties().skipWithoutKey()) {
      charge = charge.skippedWithoutKey();
    }
    String unit = policy.properties().unit();
    if (unit != null) {
      Charge counted = charge;
      charge = check(policy.property("unit"), () -> counted.unit(unit));
    }
    List<String> statuses = policy.properties().chargeOnlyStatus();
    return statuses.isEmpty()
        ? charge
        : charge.onlyIfStatus(
            check(policy.property("charge-only-status"), () -> new Statuses(statuses)));
  }

  private static RequestCost cost(ConfiguredPolicy policy) {
    long permits = policy.properties().cost();
    RequestCost fixed = check(policy.property("cost"), () -> RequestCost.fixed(permits));
    String field = policy.properties().costHeader();
    return field == null
        ? fixed
        : check(policy.property("cost-header"), () -> RequestCost.trustedHeader(field, permits));
  }

  private KeyExpression key(ConfiguredPolicy policy) {
    KeyExpression key = keys.get(policy.name());
    if (key == null) {
      throw new IllegalArgumentException("no such policy: '" + policy.name() + "'");
    }
    return key;
  }
}
