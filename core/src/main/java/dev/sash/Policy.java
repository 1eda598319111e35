package dev.sash;

import dev.sash.internal.Bounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A named set of limits that hold together: a request is charged to all of them or to none.
 * Immutable; every method returns a new policy.
 *
 * <pre>{@code
 * Policy api = Policy.named("api").withLimits("5/s", "1000/1h sliding-counter");
 *
 * List<Limit> pro = List.of(Limit.slidingLog(500, Duration.ofMinutes(1)));
 * Policy tiered = Policy.named("search")
 *     .withLimit(Limit.slidingLog(30, Duration.ofMinutes(1)))
 *     .withTiers(key -> plans.isPro(key) ? pro : List.of());
 *
 * Policy login = Policy.of("login", Limit.slidingLog(5, Duration.ofMinutes(15)))
 *     .onFailure(FailureRule.CLOSED);
 * }</pre>
 *
 * <p>{@link #onFailure}, {@link #withDeadline} and {@link #withGrace} matter only if the store is
 * remote.
 */
public final class Policy {
  private static final Duration DEFAULT_DEADLINE = Duration.ofMillis(50);
  private static final Duration LONGEST_DEADLINE = Duration.ofMinutes(1);
  private static final Duration DEFAULT_GRACE = Duration.ofSeconds(1);
  private static final int LONGEST_INTERNAL_NAME = 63;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private final String name;
  private final List<Limit> limits;
  private final @Nullable Function<? super String, List<Limit>> tiers;
  private final FailureRule failureRule;
  private final Duration deadline;
  private final Duration grace;
  private final Duration longestWait;

  private Policy(
      String name,
      List<Limit> limits,
      @Nullable Function<? super String, List<Limit>> tiers,
      FailureRule failureRule,
      Duration deadline,
      Duration grace) {
    this.name = name;
    this.limits = limits;
    this.tiers = tiers;
    this.failureRule = failureRule;
    this.deadline = deadline;
    this.grace = grace;
    longestWait = deadline.plus(grace);
  }

  /**
   * Returns a policy that has no limits yet.
   *
   * @param name 1 to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit
   * @return the policy
   */
  public static Policy named(String name) {
    if (!NAME.matcher(Objects.requireNonNull(name, "policy name must not be null")).matches()) {
      throw new IllegalArgumentException(
          "policy name must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was '"
              + name
              + "'");
    }
    return new Policy(name, List.of(), null, FailureRule.LOCAL, DEFAULT_DEADLINE, DEFAULT_GRACE);
  }

  /**
   * Returns a policy without limits whose name no policy of a user can have, since it begins with
   * an underscore: for components that keep state beside the policies of users.
   *
   * @param name the name without the underscore, as for {@link #named}, at most 63 characters
   * @return the policy
   */
  public static Policy internal(String name) {
    if (name.length() > LONGEST_INTERNAL_NAME) {
      throw new IllegalArgumentException(
          "internal policy name must have 1 to "
              + LONGEST_INTERNAL_NAME
              + " characters, had "
              + name.length());
    }
    Policy named = named(name);
    return new Policy(
        "_" + name, named.limits, null, named.failureRule, named.deadline, named.grace);
  }

  /**
   * Returns this policy with an additional limit.
   *
   * @param limit must differ from the others in algorithm, window or cells: of two that differ only
   *     in permits, one could never decide
   * @return the policy
   */
  public Policy withLimit(Limit limit) {
    List<Limit> more = new ArrayList<>(limits);
    more.add(Objects.requireNonNull(limit, "limit must not be null"));
    return withLimits(more);
  }

  /**
   * Returns this policy with other limits.
   *
   * @param limits must differ from each other in algorithm, window or cells
   * @return the policy
   */
  public Policy withLimits(List<Limit> limits) {
    return new Policy(
        name, checked(name, List.copyOf(limits)), tiers, failureRule, deadline, grace);
  }

  /**
   * Returns this policy with other limits, given in the form that {@link Limit#parse} accepts.
   *
   * @param limits must differ from each other in algorithm, window or cells
   * @return the policy
   */
  public Policy withLimits(String... limits) {
    return withLimits(Arrays.stream(limits).map(Limit::parse).toList());
  }

  /**
   * Returns this policy without {@linkplain #withTiers tiers}: its {@link #limits} hold for every
   * key.
   *
   * @return the policy
   */
  public Policy withoutTiers() {
    return new Policy(name, limits, null, failureRule, deadline, grace);
  }

  /**
   * Returns this policy with limits chosen per key, for example by the caller's plan. A key that
   * moves to another tier keeps what it has spent under limits that differ only in permits, and
   * starts fresh under others.
   *
   * @param limitsOfKey returns the limits of a key, or an empty list for this policy's own {@link
   *     #limits}. Called once per request, on the caller's thread: must be fast and thread-safe,
   *     and should return the same list for the same tier
   * @return the policy
   */
  public Policy withTiers(Function<? super String, List<Limit>> limitsOfKey) {
    Objects.requireNonNull(limitsOfKey, "limitsOfKey must not be null");
    return new Policy(name, limits, limitsOfKey, failureRule, deadline, grace);
  }

  /**
   * Returns this policy with another rule for decisions while a remote store is unavailable.
   *
   * @param rule {@link FailureRule#LOCAL} by default
   * @return the policy
   */
  public Policy onFailure(FailureRule rule) {
    Objects.requireNonNull(rule, "rule must not be null");
    return new Policy(name, limits, tiers, rule, deadline, grace);
  }

  /**
   * Returns this policy with another deadline for a remote store: if it has not responded by then,
   * the {@link #onFailure} rule decides.
   *
   * @param deadline more than zero, at most a minute; 50 ms by default
   * @return the policy
   */
  public Policy withDeadline(Duration deadline) {
    Bounds.checkDuration("deadline", LONGEST_DEADLINE, deadline);
    return new Policy(name, limits, tiers, failureRule, deadline, grace);
  }

  /**
   * Returns this policy with another grace: how much longer than the deadline a caller waits at
   * most, while this process itself is too late to have read the response in time. It is stopped,
   * collects garbage, or has just started, and the store is not to blame.
   *
   * @param grace zero to never wait longer than the deadline, at most a minute; 1 s by default
   * @return the policy
   */
  public Policy withGrace(Duration grace) {
    Objects.requireNonNull(grace, "grace must not be null");
    if (grace.isNegative() || grace.compareTo(LONGEST_DEADLINE) > 0) {
      throw new IllegalArgumentException(
          "grace must be at least 0 and at most " + LONGEST_DEADLINE + ", was " + grace);
    }
    return new Policy(name, limits, tiers, failureRule, deadline, grace);
  }

  /**
   * Returns the name.
   *
   * @return the name, as given to {@link #named}
   */
  public String name() {
    return name;
  }

  /**
   * Returns the limits of keys that have no tier.
   *
   * @return unmodifiable; empty if every key must have a tier
   */
  public List<Limit> limits() {
    return limits;
  }

  /**
   * Returns the rule for decisions while a remote store is unavailable.
   *
   * @return the rule
   */
  public FailureRule failureRule() {
    return failureRule;
  }

  /**
   * Returns the longest time to wait for a remote store.
   *
   * @return the deadline
   */
  public Duration deadline() {
    return deadline;
  }

  /**
   * Returns how much longer than the deadline to wait while this process is late itself.
   *
   * @return the grace
   */
  public Duration grace() {
    return grace;
  }

  /** Returns the deadline and the grace together. */
  Duration longestWait() {
    return longestWait;
  }

  /**
   * Returns whether limits are chosen per key.
   *
   * @return true if {@link #withTiers} was called
   */
  public boolean isTiered() {
    return tiers != null;
  }

  /**
   * Returns the limits that apply to a key.
   *
   * @param key the key to charge
   * @return at least one limit
   * @throws IllegalStateException if there is none: a key is never silently unlimited
   */
  public List<Limit> limitsFor(String key) {
    List<Limit> chosen = limits;
    if (tiers != null) {
      List<Limit> tier = tiers.apply(key);
      if (tier != null && !tier.isEmpty()) {
        chosen = tier.size() == 1 ? tier : checked(name, tier);
      }
    }
    if (chosen.isEmpty()) {
      throw new IllegalStateException(
          "policy '" + name + "' has no limit" + (tiers == null ? "" : " for this key's tier"));
    }
    return chosen;
  }

  private static List<Limit> checked(String name, List<Limit> limits) {
    for (int i = 0; i < limits.size(); i++) {
      for (int j = 0; j < i; j++) {
        if (limits.get(i).sharesStateWith(limits.get(j))) {
          throw new IllegalArgumentException(
              "limits of policy '"
                  + name
                  + "' must differ in algorithm, window or cells, were "
                  + limits.get(j)
                  + " and "
                  + limits.get(i));
        }
      }
    }
    return limits;
  }

  /** Returns the name and the limits. */
  @Override
  public String toString() {
    return name + " " + limits + (tiers == null ? "" : " and tiers");
  }

  /**
   * Returns a policy with limits: short for {@link #named} and {@link #withLimits(List)}.
   *
   * @param name the name
   * @param limits the limits
   * @return the policy
   */
  public static Policy of(String name, Limit... limits) {
    return named(name).withLimits(Arrays.asList(limits));
  }
}
