package dev.sash.spring.method;

import dev.sash.Policy;
import dev.sash.spring.RateLimit;
import dev.sash.spring.RateLimitExceededException;
import dev.sash.spring.config.BadConfigurationException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ReflectionUtils;

/** What {@link RateLimit} says about one method. Immutable. */
public final class MethodLimit {
  /** One key for all callers, as {@code key: all} has it. */
  private static final String EVERYBODY = "all:";

  private static final long MAX_PERMITS = 1_000_000_000;

  private final Method method;
  private final String policy;
  private final boolean handler;
  private final @Nullable SpelExpression key;
  private final SpelExpression permits;
  private final @Nullable SpelExpression when;
  private final @Nullable Policy inline;
  private final @Nullable Method fallback;

  /**
   * @param type the bean's own class
   * @param handler whether a request is sent to the method, so that who sent it is the key if none
   *     is given
   * @throws BadConfigurationException if an expression cannot be read
   */
  MethodLimit(
      Method method,
      Class<?> type,
      RateLimit annotation,
      boolean handler,
      ParameterNameDiscoverer names) {
    this.method = method;
    this.inline = InlinePolicies.of(method, annotation, this::wrong);
    this.policy = inline == null ? annotation.value() : inline.name();
    this.handler = handler;
    this.when = annotation.when().isBlank() ? null : parse("when", annotation.when());
    this.key = annotation.key().isBlank() ? null : parse("key", annotation.key());
    this.permits = parse("permits", annotation.permits());
    Set<String> known = new HashSet<>(Set.of("root", "this"));
    String[] parameters = names.getParameterNames(method);
    known.addAll(parameters == null ? Set.of() : Arrays.asList(parameters));
    for (int i = 0; i < method.getParameterCount(); i++) {
      known.addAll(Set.of("a" + i, "p" + i));
    }
    if (key != null) {
      checkVariables("key", key.getAST(), known);
    }
    checkVariables("permits", permits.getAST(), isDecidedByRequest() ? Set.of() : known);
    if (when != null) {
      checkVariables("when", when.getAST(), isDecidedByRequest() ? Set.of() : known);
    }
    this.fallback =
        annotation.fallbackMethod().isBlank()
            ? null
            : fallback(annotation.fallbackMethod().strip(), type);
  }

  private Method fallback(String name, Class<?> type) {
    if (isDecidedByRequest()) {
      throw wrong(
          "fallbackMethod needs a key: without one the request is decided before the method is"
              + " called");
    }
    for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(type)) {
      if (candidate.getName().equals(name)
          && Arrays.equals(parametersOf(candidate), method.getParameterTypes())
          && method.getReturnType().isAssignableFrom(candidate.getReturnType())) {
        ReflectionUtils.makeAccessible(candidate);
        return candidate;
      }
    }
    throw wrong(
        "fallbackMethod must be a method of "
            + type.getSimpleName()
            + " with the same parameters, perhaps a RateLimitExceededException after them, and the"
            + " same return type; there is no such '"
            + name
            + "'");
  }

  /** Returns the parameters without the exception at the end. */
  private Class<?>[] parametersOf(Method candidate) {
    Class<?>[] types = candidate.getParameterTypes();
    return takesDenial(candidate) ? Arrays.copyOf(types, types.length - 1) : types;
  }

  private boolean takesDenial(Method candidate) {
    Class<?>[] types = candidate.getParameterTypes();
    return types.length == method.getParameterCount() + 1
        && types[types.length - 1] == RateLimitExceededException.class;
  }

  /** Returns the policy of limits in the annotation; null if it names a policy. */
  @Nullable Policy inline() {
    return inline;
  }

  /** Returns whether there is a method to call instead. */
  boolean hasFallback() {
    return fallback != null;
  }

  /** Calls the fallback method. */
  @Nullable Object fallback(
      @Nullable Object target, List<@Nullable Object> arguments, RateLimitExceededException denial)
      throws Throwable {
    Method called = Objects.requireNonNull(fallback);
    List<@Nullable Object> all = new ArrayList<>(arguments);
    if (takesDenial(called)) {
      all.add(denial);
    }
    try {
      return called.invoke(target, all.toArray());
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  /** Returns whether a condition reads the arguments or the caller. */
  boolean isConditional() {
    return when != null;
  }

  /** Returns whether the call is limited. */
  boolean applies(EvaluationContext context) {
    if (when == null) {
      return true;
    }
    if (when.getValue(context) instanceof Boolean limited) {
      return limited;
    }
    throw new IllegalStateException(
        "the condition 'when' of @RateLimit on " + this + " must be true or false");
  }

  private SpelExpression parse(String attribute, String text) {
    try {
      return (SpelExpression) new SpelExpressionParser().parseExpression(text);
    } catch (ParseException | IllegalArgumentException | IllegalStateException e) {
      throw wrong(attribute + " cannot be read: " + e.getMessage());
    }
  }

  /** A variable that is not there would be null with every call. */
  private void checkVariables(String attribute, SpelNode node, Set<String> known) {
    if (node instanceof VariableReference variable) {
      String name = variable.toStringAST().substring(1);
      if (!known.contains(name)) {
        throw wrong(
            attribute
                + " refers to #"
                + name
                + (known.isEmpty()
                    ? ", but without a key the call is decided before its arguments are read"
                    : ", but the method has no such parameter"));
      }
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      checkVariables(attribute, node.getChild(i), known);
    }
  }

  /** Returns the names of the beans that the expressions refer to. */
  Set<String> beans() {
    Set<String> names = new TreeSet<>();
    if (key != null) {
      addBeans(key.getAST(), names);
    }
    addBeans(permits.getAST(), names);
    if (when != null) {
      addBeans(when.getAST(), names);
    }
    return names;
  }

  private static void addBeans(SpelNode node, Set<String> names) {
    if (node instanceof BeanReference reference) {
      names.add(reference.toStringAST().substring(1).replace("'", ""));
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      addBeans(node.getChild(i), names);
    }
  }

  BadConfigurationException wrong(String reason) {
    return BadConfigurationException.annotation(toString(), reason);
  }

  /**
   * The policy.
   *
   * @return its name
   */
  public String policy() {
    return policy;
  }

  /**
   * Whether requests are sent to the method.
   *
   * @return true for handlers of controllers
   */
  boolean isHandler() {
    return handler;
  }

  /**
   * Whether who sends the request is the key: then it is the web framework that asks.
   *
   * @return true for handlers without a key
   */
  public boolean isDecidedByRequest() {
    return handler && key == null;
  }

  /**
   * What every call costs.
   *
   * @return the permits of an expression without arguments
   * @throws BadConfigurationException if there are none
   */
  public long fixedPermits() {
    long fixed;
    try {
      fixed = permits(new StandardEvaluationContext());
    } catch (EvaluationException | IllegalStateException e) {
      throw wrong("permits cannot be computed: " + e.getMessage());
    }
    if (fixed < 1 || fixed > MAX_PERMITS) {
      throw wrong("permits must be between 1 and " + MAX_PERMITS + ", were " + fixed);
    }
    return fixed;
  }

  /** Who calls. */
  String key(EvaluationContext context) {
    if (key == null) {
      return EVERYBODY;
    }
    Object value = key.getValue(context);
    String text = value == null ? "" : value.toString();
    if (text.isEmpty()) {
      throw new IllegalStateException(
          "the key of @RateLimit on " + this + " must not be null or empty");
    }
    return text;
  }

  /** What the call costs. */
  long permits(EvaluationContext context) {
    Object value = permits.getValue(context);
    if (value instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalStateException(
        "the permits of @RateLimit on " + this + " must be a number, were " + value);
  }

  /** The method, for people. */
  @Override
  public String toString() {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }
}
