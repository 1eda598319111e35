package dev.sash.http;

import dev.sash.RateLimiter;
import dev.sash.http.internal.HttpSyntax;
import dev.sash.http.internal.PathPattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Matches requests and charges them. Immutable; every method returns a new rule.
 *
 * <pre>{@code
 * HttpRule.forPaths("/login").methods("POST").charge(logins, KeyExtractor.clientAddress())
 * HttpRule.forPaths("/api/**")
 *     .charge(perAddress, KeyExtractor.clientAddress())
 *     .charge(Charge.of(perUser, KeyExtractor.principal()).skippedWithoutKey())
 * HttpRule.forEverything().charge(global, KeyExtractor.everybody())
 * }</pre>
 *
 * <p>The first rule that matches a request applies, and further ones only if it {@linkplain
 * #thenContinue continues}. Charges are all or nothing. Patterns are {@code /users/7}, {@code
 * /users/*}{@code /orders}, {@code /users/{id}} (a star or a name is one segment) and {@code
 * /api/**} ({@code /api} and everything below).
 */
public final class HttpRule {
  private final List<PathPattern> paths;
  private final Set<String> methods;
  private final List<Predicate<IncomingRequest>> conditions;
  private final List<Charge> charges;
  private final boolean continues;

  private HttpRule(
      List<PathPattern> paths,
      Set<String> methods,
      List<Predicate<IncomingRequest>> conditions,
      List<Charge> charges,
      boolean continues) {
    this.paths = paths;
    this.methods = methods;
    this.conditions = conditions;
    this.charges = charges;
    this.continues = continues;
  }

  /**
   * Returns a rule for every request.
   *
   * @return a rule that charges nothing yet
   */
  public static HttpRule forEverything() {
    return new HttpRule(List.of(), Set.of(), List.of(), List.of(), false);
  }

  /**
   * Returns a rule for some paths.
   *
   * @param patterns matches if one of them does
   * @return a rule that charges nothing yet
   * @throws IllegalArgumentException if a pattern is malformed; the message quotes it
   */
  public static HttpRule forPaths(String... patterns) {
    if (patterns.length == 0) {
      throw new IllegalArgumentException("patterns must be 1 or more, were 0");
    }
    List<PathPattern> paths = Arrays.stream(patterns).map(PathPattern::parse).toList();
    return new HttpRule(paths, Set.of(), List.of(), List.of(), false);
  }

  /**
   * Returns this rule for some methods only. {@code GET} includes {@code HEAD}.
   *
   * @param methods such as {@code POST}, in any case
   * @return the new rule
   */
  public HttpRule methods(String... methods) {
    if (methods.length == 0) {
      throw new IllegalArgumentException("methods must be 1 or more, were 0");
    }
    Set<String> all = new TreeSet<>(this.methods);
    for (String method : methods) {
      all.add(HttpSyntax.checkedToken("method", method).toUpperCase(Locale.ROOT));
    }
    if (all.contains("GET")) {
      all.add("HEAD");
    }
    return new HttpRule(paths, all, conditions, charges, continues);
  }

  /**
   * Returns this rule with an additional condition.
   *
   * @param condition called if path and method match; must be fast
   * @return the new rule
   */
  public HttpRule when(Predicate<IncomingRequest> condition) {
    return new HttpRule(
        paths, methods, with(conditions, condition, "condition"), charges, continues);
  }

  /**
   * Returns this rule with an additional charge of one permit: short for {@code
   * charge(Charge.of(limiter, key))}.
   *
   * @param limiter decides
   * @param key finds the key to charge
   * @return the new rule
   */
  public HttpRule charge(RateLimiter limiter, KeyExtractor key) {
    return charge(Charge.of(limiter, key));
  }

  /**
   * Returns this rule with an additional charge. Put the policy that denies most often first: what
   * is charged before it must be refunded.
   *
   * @param charge the charge
   * @return the new rule
   */
  public HttpRule charge(Charge charge) {
    return new HttpRule(paths, methods, conditions, with(charges, charge, "charge"), continues);
  }

  /**
   * Returns this rule such that the rules after it are considered too.
   *
   * @return the new rule
   */
  public HttpRule thenContinue() {
    return new HttpRule(paths, methods, conditions, charges, true);
  }

  private static <T> List<T> with(List<T> list, T element, String name) {
    List<T> longer = new ArrayList<>(list);
    longer.add(Objects.requireNonNull(element, name + " must not be null"));
    return List.copyOf(longer);
  }

  /**
   * Returns whether this rule applies to a request, unless an earlier rule ends the search.
   *
   * @param request the request
   * @return true if its path, its method and all conditions match
   */
  public boolean matches(IncomingRequest request) {
    return matchesPathAndMethod(request)
        && (conditions.isEmpty()
            || conditions.stream().allMatch(condition -> condition.test(request)));
  }

  boolean matchesPathAndMethod(IncomingRequest request) {
    return (paths.isEmpty() || PathPattern.oneMatches(paths, request.requestPath()))
        && (methods.isEmpty() || methods.contains(request.method().toUpperCase(Locale.ROOT)));
  }

  List<Charge> charges() {
    return charges;
  }

  boolean continues() {
    return continues;
  }

  HttpRule withCharges(Predicate<Charge> condition) {
    return new HttpRule(
        paths, methods, conditions, charges.stream().filter(condition).toList(), continues);
  }

  /** Returns the methods and paths. */
  @Override
  public String toString() {
    return (methods.isEmpty() ? "" : methods + " ") + (paths.isEmpty() ? "everything" : paths);
  }
}
