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
 * Policy api = Policy.named("api")
 *     .limit(Limit.slidingLog(5, Duration.ofSeconds(1)))
 *     .limit(Limit.slidingCounter(1000, Duration.ofHours(1)));
 *
 * List<Limit> pro = List.of(Limit.slidingLog(500, Duration.ofMinutes(1)));
 * Policy tiered = Policy.named("search")
 *     .limit(Limit.slidingLog(30, Duration.ofMinutes(1)))
 *     .tiers(key -> plans.isPro(key) ? pro : List.of());
 *
 * Policy login = Policy.of("login", Limit.slidingLog(5, Duration.ofMinutes(15)))
 *     .onFailure(FailureRule.CLOSED);
 * }</pre>
 *
 * <p>{@link #onFailure} and {@link #deadline} matter only where the store is remote.
 */
public final class Policy {
  private static final Duration DEFAULT_DEADLINE = Duration.ofMillis(50);
  private static final Duration LONGEST_DEADLINE = Duration.ofMinutes(1);
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private final String name;
  private final List<Limit> limits;
  private final @Nullable Function<? super String, List<Limit>> tiers;
  private final FailureRule failureRule;
  private final Duration deadline;

  private Policy(
      String name,
      List<Limit> limits,
      @Nullable Function<? super String, List<Limit>> tiers,
      FailureRule failureRule,
      Duration deadline) {
    this.name = name;
    this.limits = limits;
    this.tiers = tiers;
    this.failureRule = failureRule;
    this.deadline = deadline;
  }

  /**
   * A policy without limits yet.
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
    return new Policy(name, List.of(), null, FailureRule.LOCAL, DEFAULT_DEADLINE);
  }

  /**
   * This policy with one more limit.
   *
   * @param limit differs from the others in algorithm, window or cells: of two that differ only in
   *     permits, one could never decide
   * @return the policy
   */
  public Policy limit(Limit limit) {
    List<Limit> more = new ArrayList<>(limits);
    more.add(Objects.requireNonNull(limit, "limit must not be null"));
    return limits(more);
  }

  /**
   * This policy with these limits in place of its own.
   *
   * @param limits differ from each other in algorithm, window or cells
   * @return the policy
   */
  public Policy limits(List<Limit> limits) {
    return new Policy(name, checked(name, List.copyOf(limits)), tiers, failureRule, deadline);
  }

  /**
   * This policy with these limits for every key, in place of its own and of its tiers.
   *
   * @param limits at least one; differ from each other in algorithm, window or cells
   * @return the policy
   */
  public Policy limitsForEveryKey(List<Limit> limits) {
    if (limits.isEmpty()) {
      throw new IllegalArgumentException("policy '" + name + "' must have a limit");
    }
    return new Policy(name, checked(name, List.copyOf(limits)), null, failureRule, deadline);
  }

  /**
   * This policy with limits chosen per key, such as by the caller's plan. A key that moves to
   * another tier keeps what it has spent under limits that differ only in permits, and starts fresh
   * under others.
   *
   * @param limitsOfKey the limits of a key, or an empty list for this policy's own {@link #limits}.
   *     Called for every decision, on the asking thread: must be fast and thread-safe, and had
   *     better return the same list for the same tier
   * @return the policy
   */
  public Policy tiers(Function<? super String, List<Limit>> limitsOfKey) {
    Objects.requireNonNull(limitsOfKey, "limitsOfKey must not be null");
    return new Policy(name, limits, limitsOfKey, failureRule, deadline);
  }

  /**
   * This policy with another rule for when a remote store does not answer.
   *
   * @param rule {@link FailureRule#LOCAL} unless given
   * @return the policy
   */
  public Policy onFailure(FailureRule rule) {
    Objects.requireNonNull(rule, "rule must not be null");
    return new Policy(name, limits, tiers, rule, deadline);
  }

  /**
   * This policy with another time within which a remote store must have answered: then the {@link
   * #onFailure} rule decides.
   *
   * @param deadline more than zero, at most a minute; 50 ms unless given
   * @return the policy
   */
  public Policy deadline(Duration deadline) {
    Bounds.checkDuration("deadline", LONGEST_DEADLINE, deadline);
    return new Policy(name, limits, tiers, failureRule, deadline);
  }

  /**
   * The name.
   *
   * @return as given to {@link #named}
   */
  public String name() {
    return name;
  }

  /**
   * The limits of keys that have no tier.
   *
   * @return unmodifiable; empty if every key must have a tier
   */
  public List<Limit> limits() {
    return limits;
  }

  /**
   * What decides while a remote store does not answer.
   *
   * @return the rule
   */
  public FailureRule failureRule() {
    return failureRule;
  }

  /**
   * How long a caller waits for a remote store at most.
   *
   * @return the deadline
   */
  public Duration deadline() {
    return deadline;
  }

  /**
   * Whether limits are chosen per key.
   *
   * @return true if {@link #tiers} was called
   */
  public boolean isTiered() {
    return tiers != null;
  }

  /**
   * The limits that hold for a key.
   *
   * @param key who asks
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

  /** The name and the limits, for people. */
  @Override
  public String toString() {
    return name + " " + limits + (tiers == null ? "" : " and tiers");
  }

  /**
   * Short for {@link #named} and {@link #limits(List)}.
   *
   * @param name the name
   * @param limits the limits
   * @return the policy
   */
  public static Policy of(String name, Limit... limits) {
    return named(name).limits(Arrays.asList(limits));
  }
}
