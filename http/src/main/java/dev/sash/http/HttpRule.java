package dev.sash.http;

import dev.sash.RateLimiter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Which requests, and what is charged for them. Immutable; every method returns a new rule.
 *
 * <pre>{@code
 * HttpRule.forPaths("/login").methods("POST").charge(logins, KeyExtractor.clientAddress())
 * HttpRule.forPaths("/api/**")
 *     .charge(perAddress, KeyExtractor.clientAddress())
 *     .charge(Charge.of(perUser, KeyExtractor.principal()).skippedWithoutKey())
 * HttpRule.forEverything().charge(global, KeyExtractor.everybody())
 * }</pre>
 *
 * <p>The first rule that fits a request holds, unless it {@linkplain #thenContinue continues}. Its
 * charges are made all or not at all. Patterns are {@code /users/7}, {@code /users/*}{@code
 * /orders}, {@code /users/{id}} (a star or a name is one segment) and {@code /api/**} ({@code /api}
 * and everything below).
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
   * A rule for every request.
   *
   * @return a rule that charges nothing yet
   */
  public static HttpRule forEverything() {
    return new HttpRule(List.of(), Set.of(), List.of(), List.of(), false);
  }

  /**
   * A rule for some paths.
   *
   * @param patterns fits if one of them does
   * @return a rule that charges nothing yet
   * @throws IllegalArgumentException naming the pattern that cannot be read
   */
  public static HttpRule forPaths(String... patterns) {
    if (patterns.length == 0) {
      throw new IllegalArgumentException("patterns must be 1 or more, were 0");
    }
    List<PathPattern> paths = Arrays.stream(patterns).map(PathPattern::parse).toList();
    return new HttpRule(paths, Set.of(), List.of(), List.of(), false);
  }

  /**
   * Holds for these methods only. {@code GET} includes {@code HEAD}, which servers answer by the
   * same handler.
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
   * Holds only if a condition does, too.
   *
   * @param condition is asked after path and method; must be fast
   * @return the new rule
   */
  public HttpRule when(Predicate<IncomingRequest> condition) {
    return new HttpRule(
        paths, methods, with(conditions, condition, "condition"), charges, continues);
  }

  /**
   * Charges one permit. Short for {@code charge(Charge.of(limiter, key))}.
   *
   * @param limiter is asked
   * @param key for whom
   * @return the new rule
   */
  public HttpRule charge(RateLimiter limiter, KeyExtractor key) {
    return charge(Charge.of(limiter, key));
  }

  /**
   * Charges this as well. The policy that denies most often should come first: what is charged
   * before it has to be given back.
   *
   * @param charge what is charged
   * @return the new rule
   */
  public HttpRule charge(Charge charge) {
    return new HttpRule(paths, methods, conditions, with(charges, charge, "charge"), continues);
  }

  /**
   * Lets the rules after this one hold as well.
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

  boolean fits(IncomingRequest request) {
    return (paths.isEmpty() || PathPattern.oneMatches(paths, request.requestPath()))
        && (methods.isEmpty() || methods.contains(request.method().toUpperCase(Locale.ROOT)))
        && (conditions.isEmpty()
            || conditions.stream().allMatch(condition -> condition.test(request)));
  }

  List<Charge> charges() {
    return charges;
  }

  boolean continues() {
    return continues;
  }

  /** The methods and paths, for people. */
  @Override
  public String toString() {
    return (methods.isEmpty() ? "" : methods + " ") + (paths.isEmpty() ? "everything" : paths);
  }
}
