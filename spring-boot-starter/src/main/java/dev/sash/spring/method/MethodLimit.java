package dev.sash.spring.method;

import dev.sash.spring.RateLimit;
import dev.sash.spring.config.BadConfigurationException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

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

  /**
   * @param handler whether a request is sent to the method, so that who sent it is the key if none
   *     is given
   * @throws BadConfigurationException if an expression cannot be read
   */
  MethodLimit(Method method, RateLimit annotation, boolean handler, ParameterNameDiscoverer names) {
    this.method = method;
    this.policy = annotation.value();
    this.handler = handler;
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
