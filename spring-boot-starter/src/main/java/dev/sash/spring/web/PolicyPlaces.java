package dev.sash.spring.web;

import dev.sash.http.KeyExtractor;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.ConfiguredPolicy;
import dev.sash.spring.config.PolicyProperties.FilterPlace;
import java.util.List;

/** Finds policies that cannot work where they check requests: the application does not start. */
final class PolicyPlaces {
  /** Spring Security answers these by itself, or translates them outside a filter after it. */
  private static final List<Integer> STATUSES_OF_SECURITY = List.of(401, 403);

  private PolicyPlaces() {}

  /**
   * Checks a policy that limits requests.
   *
   * @param key finds the policy's key
   * @throws BadConfigurationException if the policy cannot work, with the reason
   */
  static void check(ConfiguredPolicy policy, KeyExtractor key, FilterPlaces places) {
    FilterPlace place = policy.properties().place();
    if (places.isOne() && place != FilterPlace.AUTO) {
      throw bad(policy, "place", "cannot be combined with sash.web.filter-order");
    }
    boolean failedLogins = policy.properties().chargeOnlyFailedLogins();
    if (key.usesPrincipal() && failedLogins) {
      throw bad(
          policy,
          "key",
          "must not contain 'user' with charge-only-failed-logins: a login that"
              + " fails has no user; 'login' is the name that it tried");
    }
    boolean isFirst =
        places.isOne()
            ? !places.firstKnowsUser()
            : place == FilterPlace.BEFORE_SECURITY
                || (place == FilterPlace.AUTO && !key.usesPrincipal());
    if (!places.hasSecurity()) {
      return;
    }
    if (isFirst && key.usesPrincipal()) {
      throw bad(
          policy,
          "key",
          "cannot contain 'user' before Spring Security, where nobody is authenticated yet: set "
              + (places.isOne()
                  ? "sash.web.filter-order above " + places.securityOrder() + ", or leave it out"
                  : "place to after-security, or leave it out"));
    }
    if (!isFirst && (failedLogins || chargesStatusOfSecurity(policy))) {
      throw bad(
          policy,
          failedLogins ? "charge-only-failed-logins" : "charge-only-status",
          "cannot work after Spring Security, which answers 401 and 403 without this policy: "
              + (key.usesPrincipal()
                  ? "use a key without 'user', such as ip, or charge-only-failed-logins"
                  : "set place to before-security"));
    }
  }

  private static boolean chargesStatusOfSecurity(ConfiguredPolicy policy) {
    List<String> statuses = policy.properties().chargeOnlyStatus();
    return !statuses.isEmpty()
        && STATUSES_OF_SECURITY.stream().anyMatch(new Statuses(statuses)::test);
  }

  private static BadConfigurationException bad(
      ConfiguredPolicy policy, String property, String reason) {
    return BadConfigurationException.property(policy.property(property), reason);
  }
}
