package dev.sash.grpc;

import dev.sash.RateLimiter;
import dev.sash.key.Keys;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A limiter, the calls that it limits, and what they cost. Immutable; every method returns a new
 * rule.
 *
 * <pre>{@code
 * CallRule.of(api, CallKey.peer())
 * CallRule.of(export, CallKey.context("user", USER)).forMethods("shop.Orders/Export").cost(5)
 * }</pre>
 */
public final class CallRule {
  private static final long MAX_PERMITS = 1_000_000_000;
  private static final String ALL = "*";

  private final RateLimiter limiter;
  private final CallKey key;

  /** Empty for all. */
  private final List<String> methods;

  private final long permits;
  private final boolean isSkippedWithoutKey;
  private final BooleanSupplier shadow;
  private final boolean isLast;

  private CallRule(
      RateLimiter limiter,
      CallKey key,
      List<String> methods,
      long permits,
      boolean isSkippedWithoutKey,
      BooleanSupplier shadow,
      boolean isLast) {
    this.limiter = limiter;
    this.key = key;
    this.methods = methods;
    this.permits = permits;
    this.isSkippedWithoutKey = isSkippedWithoutKey;
    this.shadow = shadow;
    this.isLast = isLast;
  }

  /**
   * Returns a rule for all methods, of one permit for each call. If a call has no such key, the
   * peer's address is the key: a limit cannot be avoided by omitting the key.
   *
   * @param limiter decides
   * @param key finds the key to charge
   * @return the rule
   */
  public static CallRule of(RateLimiter limiter, CallKey key) {
    return new CallRule(
        Objects.requireNonNull(limiter, "limiter must not be null"),
        Objects.requireNonNull(key, "key must not be null"),
        List.of(),
        1,
        false,
        () -> false,
        false);
  }

  /**
   * Returns this rule for some methods only. They share the limiter; add {@link CallKey#method} to
   * the key for separate counts.
   *
   * @param methods one or more of {@code shop.Orders/Export}, {@code shop.Search/*} for all methods
   *     of a service, and {@code *} for all methods
   * @return the new rule
   */
  public CallRule forMethods(String... methods) {
    if (methods.length == 0) {
      throw new IllegalArgumentException("methods must be 1 or more, were 0");
    }
    Arrays.stream(methods).forEach(CallRule::check);
    return new CallRule(
        limiter, key, List.of(methods), permits, isSkippedWithoutKey, shadow, isLast);
  }

  private static void check(String method) {
    Objects.requireNonNull(method, "method must not be null");
    int slash = method.lastIndexOf('/');
    boolean isName = slash > 0 && slash < method.length() - 1;
    String rest = method.endsWith("/*") ? method.substring(0, slash) : method;
    if (!method.equals(ALL) && (!isName || !rest.chars().allMatch(CallRule::isInName))) {
      throw new IllegalArgumentException(
          "method must be a full name such as shop.Orders/Export, a service such as shop.Search/*"
              + " or *, was '"
              + method
              + "'");
    }
  }

  private static boolean isInName(int c) {
    return c != '*' && c > ' ';
  }

  /**
   * Returns this rule with another cost.
   *
   * @param permits the cost of a call, 1 to 10⁹
   * @return the new rule
   */
  public CallRule cost(long permits) {
    return new CallRule(
        limiter, key, methods, checkedCost(permits), isSkippedWithoutKey, shadow, isLast);
  }

  static long checkedCost(long permits) {
    if (permits < 1 || permits > MAX_PERMITS) {
      throw new IllegalArgumentException(
          "permits must be between 1 and " + MAX_PERMITS + ", was " + permits);
    }
    return permits;
  }

  /**
   * Returns this rule for calls that have such a key only: for a limit in addition to another one
   * that applies to every call.
   *
   * @return the new rule
   */
  public CallRule skippedWithoutKey() {
    return new CallRule(limiter, key, methods, permits, true, shadow, isLast);
  }

  /**
   * Returns this rule such that it may only be tried out: while the condition is true, the policy
   * counts calls and what it would deny, but denies nothing.
   *
   * @param condition evaluated for each call; must be fast and thread-safe
   * @return the new rule
   */
  public CallRule shadowIf(BooleanSupplier condition) {
    Objects.requireNonNull(condition, "condition must not be null");
    return new CallRule(limiter, key, methods, permits, isSkippedWithoutKey, condition, isLast);
  }

  /**
   * Returns this rule such that the rules behind it do not hold for the calls that it holds for.
   *
   * @return the new rule
   */
  public CallRule thenStop() {
    return new CallRule(limiter, key, methods, permits, isSkippedWithoutKey, shadow, true);
  }

  /**
   * Returns the name of the policy that is charged.
   *
   * @return the policy's name
   */
  public String policy() {
    return limiter.policy().name();
  }

  boolean isLast() {
    return isLast;
  }

  /**
   * Returns whether the rule holds for a method.
   *
   * @param isExempt whether the method is exempt unless a rule names it or its service
   */
  boolean holdsFor(MethodDescriptor<?, ?> method, boolean isExempt) {
    if (methods.isEmpty()) {
      return !isExempt;
    }
    for (String named : methods) {
      if (named.equals(ALL)
          ? !isExempt
          : named.equals(method.getFullMethodName())
              || named.equals(method.getServiceName() + "/*")) {
        return true;
      }
    }
    return false;
  }

  /** Returns the key of a call; null if the call is not charged. */
  @Nullable String keyOf(ServerCall<?, ?> call, Metadata headers) {
    String found = key.keyOf(call, headers);
    if (found == null || found.isEmpty()) {
      if (isSkippedWithoutKey) {
        return null;
      }
      found = CallKey.peer().keyOf(call, headers);
    }
    return Keys.fitting(Objects.requireNonNull(found));
  }

  CallCharge charge(String found) {
    return new CallCharge(limiter.resolve(found), permits, !shadow.getAsBoolean());
  }
}
