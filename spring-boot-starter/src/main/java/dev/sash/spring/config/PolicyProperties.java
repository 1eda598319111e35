package dev.sash.spring.config;

import dev.sash.FailureRule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * A policy, and the requests it holds for.
 *
 * @param limits What is allowed, such as 100/1m or 1000 per 1h sliding-counter; with several, all
 *     of them hold.
 * @param tiers The limits of each tier, in place of the policy's own.
 * @param paths Which requests are limited: /login, /users/{id} or /api/**. Without any, the policy
 *     is for annotated methods and code.
 * @param methods Which methods of the paths are limited; all of them unless set.
 * @param grpcMethods Which gRPC calls are limited: shop.Orders/Export, shop.Search/* or * for all.
 * @param key What is limited: ip, user, login, apikey:field, header:field, query:name, cookie:name,
 *     path, route, method, all or bean:name; joined by + for a combination and by | for a fallback.
 *     The address (ip) unless set, and login + ip with charge-only-failed-logins.
 * @param place Where requests are checked: before Spring Security, so that its own responses are
 *     limited too, or after it, when the user is known. After it only if the key needs the user,
 *     unless set.
 * @param skipWithoutKey Whether requests without the key are not limited. Otherwise the client's
 *     address is their key.
 * @param order The order in which policies are asked, from the lowest; those of the same order as
 *     they are written.
 * @param continues Whether the policies behind this one hold as well for a request that this one
 *     holds for.
 * @param cost How many permits a request costs.
 * @param costHeader The field in which a trusted proxy says how many permits a request costs.
 * @param unit What a permit is, if it is not a request.
 * @param chargeOnlyStatus Which statuses of the response keep the charge, such as 401, 4xx or
 *     400-403; all of them unless set.
 * @param chargeOnlyFailedLogins Whether only failed logins are charged, as Spring Security reports
 *     them. All paths are limited unless paths is set.
 * @param maxWait The longest time for a request over the limit to wait until it fits, instead of
 *     being denied, at most 10s; no thread waits. Denied at once unless set.
 * @param maxWaiting The number of requests that may wait at the same time; further ones are denied.
 * @param mode Whether the policy denies requests, or only counts what it would deny.
 * @param failureRule What decides while Redis does not answer.
 * @param deadline Within which time Redis must have answered.
 */
public record PolicyProperties(
    @DefaultValue List<String> limits,
    @DefaultValue Map<String, List<String>> tiers,
    @DefaultValue List<String> paths,
    @DefaultValue List<String> methods,
    @DefaultValue List<String> grpcMethods,
    @Nullable String key,
    @DefaultValue("auto") FilterPlace place,
    @DefaultValue("false") boolean skipWithoutKey,
    @DefaultValue("0") int order,
    @Name("continue") @DefaultValue("true") boolean continues,
    @DefaultValue("1") long cost,
    @Nullable String costHeader,
    @Nullable String unit,
    @DefaultValue List<String> chargeOnlyStatus,
    @DefaultValue("false") boolean chargeOnlyFailedLogins,
    @Nullable Duration maxWait,
    @DefaultValue("1000") int maxWaiting,
    @DefaultValue("enforce") Mode mode,
    @DefaultValue("local") FailureRule failureRule,
    @DefaultValue("50ms") Duration deadline) {

  /** What a policy does with what does not fit. */
  public enum Mode {
    /** Denies it. */
    ENFORCE,
    /** Counts it and admits it. */
    SHADOW
  }

  /** Where a policy checks requests. */
  public enum FilterPlace {
    /** After Spring Security if the key needs the user, before it otherwise. */
    AUTO,
    /** Before Spring Security. */
    BEFORE_SECURITY,
    /** After Spring Security. */
    AFTER_SECURITY
  }

  /**
   * Returns the key expression.
   *
   * @return what is configured, or the default
   */
  public String keyOrDefault() {
    if (key != null) {
      return key;
    }
    return chargeOnlyFailedLogins ? "login + ip" : "ip";
  }

  /**
   * Returns these properties in another mode.
   *
   * @param newMode the mode
   * @return the new properties
   */
  PolicyProperties withMode(Mode newMode) {
    return new PolicyProperties(
        limits,
        tiers,
        paths,
        methods,
        grpcMethods,
        key,
        place,
        skipWithoutKey,
        order,
        continues,
        cost,
        costHeader,
        unit,
        chargeOnlyStatus,
        chargeOnlyFailedLogins,
        maxWait,
        maxWaiting,
        newMode,
        failureRule,
        deadline);
  }

  /**
   * Returns these properties with what can only be changed by a restart taken from others.
   *
   * @param started the properties that the application has started with
   * @return the new properties
   */
  PolicyProperties asStartedWith(PolicyProperties started) {
    return new PolicyProperties(
        limits,
        tiers,
        started.paths,
        started.methods,
        started.grpcMethods,
        started.key,
        started.place,
        started.skipWithoutKey,
        started.order,
        started.continues,
        started.cost,
        started.costHeader,
        started.unit,
        started.chargeOnlyStatus,
        started.chargeOnlyFailedLogins,
        started.maxWait,
        started.maxWaiting,
        mode,
        failureRule,
        deadline);
  }

  /**
   * A policy of which only limits are known.
   *
   * @param limits what is allowed
   * @param paths which requests are limited
   * @return everything else as if it were not set
   */
  static PolicyProperties of(List<String> limits, List<String> paths) {
    return new PolicyProperties(
        limits,
        Map.of(),
        paths,
        List.of(),
        List.of(),
        null,
        FilterPlace.AUTO,
        false,
        0,
        true,
        1,
        null,
        null,
        List.of(),
        false,
        null,
        1_000,
        Mode.ENFORCE,
        FailureRule.LOCAL,
        Duration.ofMillis(50));
  }
}
