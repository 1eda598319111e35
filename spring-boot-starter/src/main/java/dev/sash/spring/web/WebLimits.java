package dev.sash.spring.web;

import static dev.sash.spring.config.BadConfigurationException.check;

import dev.sash.LimiterRegistry;
import dev.sash.address.AddressRanges;
import dev.sash.http.Charge;
import dev.sash.http.DenialFormat;
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
import dev.sash.spring.config.PolicyProperties.FilterPlace;
import dev.sash.spring.config.SashProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Creates what limits requests. A mistake in the configuration is reported with the name of the
 * property, when this is created and not with the first request.
 */
public final class WebLimits {
  private static final String WEB = "sash.web.";

  private final SashProperties.Web web;
  private final ConfiguredPolicies policies;
  private final LimiterRegistry limiters;
  private final TrustedProxies proxies;
  private final FilterPlaces places;
  private final DenialFormat denials;
  private final LoginAttempts logins;
  private final Function<String, KeyExtractor> beans;
  private final Map<String, KeyExtractor> keys = new LinkedHashMap<>();

  /**
   * From properties.
   *
   * @param web what holds for all requests
   * @param policies what is limited
   * @param limiters decide
   * @param places where requests are checked
   * @param denials writes the responses to denied requests
   * @param beans finds a {@link KeyExtractor} by its name; throws an IllegalArgumentException if
   *     there is none
   */
  public WebLimits(
      SashProperties.Web web,
      ConfiguredPolicies policies,
      LimiterRegistry limiters,
      FilterPlaces places,
      DenialFormat denials,
      Function<String, KeyExtractor> beans) {
    this.web = web;
    this.policies = policies;
    this.limiters = limiters;
    this.places = places;
    this.denials = denials;
    this.beans = beans;
    this.logins = new LoginAttempts(web.login());
    this.proxies = proxies();
    for (ConfiguredPolicy policy : policies) {
      if (policy.paths().isEmpty() && !policy.properties().grpcMethods().isEmpty()) {
        continue; // its key is one of gRPC calls, unless a handler names the policy
      }
      keys.put(policy.name(), parsedKey(policy));
      var unused = charge(policy);
      if (!policy.paths().isEmpty()) {
        PolicyPlaces.check(policy, key(policy), places);
      }
    }
  }

  /**
   * Returns what limits requests by their paths.
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
      builder.limitHealthChecks(limitedHealthChecks(HttpLimiter.Builder.healthChecks()));
      List<String> exempt = new ArrayList<>(exemptPaths);
      exempt.removeAll(limitedHealthChecks(exemptPaths));
      builder.exempt(exempt.toArray(String[]::new));
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

  /** Returns the health checks that a policy names: it means them. */
  private List<String> limitedHealthChecks(Collection<String> healthChecks) {
    List<String> limited = new ArrayList<>();
    for (String check : healthChecks) {
      String path = check.endsWith("/**") ? check.substring(0, check.length() - 3) : check;
      for (ConfiguredPolicy policy : policies) {
        if (policy.paths().stream()
            .anyMatch(named -> named.equals(path) || named.startsWith(path + "/"))) {
          limited.add(check);
        }
      }
    }
    return limited;
  }

  /**
   * Divides a limiter by where its policies check requests.
   *
   * @param all limits requests by their paths
   * @return one limiter, or two if a policy needs to know the user
   * @throws BadConfigurationException if a key needs the user where nobody is authenticated yet
   */
  public RequestLimiters divided(HttpLimiter all) {
    if (places.isOne() && !places.firstKnowsUser()) {
      for (Charge charge : all.charges()) {
        if (charge.usesPrincipal()) {
          throw BadConfigurationException.property(
              WEB + "filter-order",
              "must be above "
                  + places.securityOrder()
                  + ", the order of Spring Security, since the key of policy '"
                  + charge.policy()
                  + "' needs the user, was "
                  + places.first());
        }
      }
    }
    return all.charges().stream().noneMatch(this::isAfterSecurity)
        ? new RequestLimiters(all, null)
        : new RequestLimiters(
            all.withCharges(charge -> !isAfterSecurity(charge)),
            all.withCharges(this::isAfterSecurity));
  }

  private boolean isAfterSecurity(Charge charge) {
    if (places.isOne()) {
      return false;
    }
    ConfiguredPolicy policy = policies.find(charge.policy());
    FilterPlace place = policy == null ? FilterPlace.AUTO : policy.properties().place();
    return place == FilterPlace.AUTO ? charge.usesPrincipal() : place == FilterPlace.AFTER_SECURITY;
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

  private HttpLimiter.Builder common() {
    HttpLimiter.Builder builder =
        HttpLimiter.builder()
            .trustedProxies(proxies)
            .allowKeys(web.allowKeys().toArray(String[]::new))
            .denyKeys(web.denyKeys().toArray(String[]::new))
            .denials(denials)
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
    HttpRule forLogins =
        policy.properties().chargeOnlyFailedLogins() ? forMethods.when(logins) : forMethods;
    HttpRule charging = forLogins.charge(waiting(policy, charge(policy)).cost(cost(policy)));
    return policy.properties().continues() ? charging.thenContinue() : charging;
  }

  private Charge charge(ConfiguredPolicy policy) {
    String name = policy.name();
    Charge charge =
        Charge.of(limiters.get(name), key(policy)).shadowIf(() -> policies.isShadow(name));
    if (policy.properties().skipWithoutKey()) {
      charge = charge.skippedWithoutKey();
    }
    String unit = policy.properties().unit();
    if (unit != null) {
      Charge counted = charge;
      charge = check(policy.property("unit"), () -> counted.unit(unit));
    }
    if (policy.properties().chargeOnlyFailedLogins()) {
      return charge.onlyIfLoginFailed();
    }
    List<String> statuses = policy.properties().chargeOnlyStatus();
    return statuses.isEmpty()
        ? charge
        : charge.onlyIfStatus(
            check(policy.property("charge-only-status"), () -> new Statuses(statuses)));
  }

  private static Charge waiting(ConfiguredPolicy policy, Charge charge) {
    Duration maxWait = policy.properties().maxWait();
    int maxWaiting = policy.properties().maxWaiting();
    if (maxWait == null) {
      return charge;
    }
    var unused = check(policy.property("max-wait"), () -> charge.maxWait(maxWait));
    return check(policy.property("max-waiting"), () -> charge.maxWait(maxWait, maxWaiting));
  }

  private static RequestCost cost(ConfiguredPolicy policy) {
    long permits = policy.properties().cost();
    RequestCost fixed = check(policy.property("cost"), () -> RequestCost.fixed(permits));
    String field = policy.properties().costHeader();
    return field == null
        ? fixed
        : check(policy.property("cost-header"), () -> RequestCost.trustedHeader(field, permits));
  }

  private KeyExtractor parsedKey(ConfiguredPolicy policy) {
    return check(
        policy.property("key"),
        () -> KeyExpression.parse(policy.properties().keyOrDefault(), beans));
  }

  private KeyExtractor key(ConfiguredPolicy policy) {
    KeyExtractor key = keys.get(policy.name());
    return key == null ? parsedKey(policy) : key; // of a handler that is annotated
  }
}
