package dev.sash.spring.method;

import dev.sash.spring.RateLimit;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodClassKey;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Which methods are limited: those annotated, and those of annotated classes and interfaces; of a
 * controller's class, its handlers. Thread-safe.
 */
public final class MethodLimits {
  // By name, since an application need not have Spring's web.
  private static final String CONTROLLER = "org.springframework.stereotype.Controller";
  private static final String[] MAPPINGS = {
    "org.springframework.web.bind.annotation.RequestMapping",
    "org.springframework.web.service.annotation.HttpExchange"
  };

  private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();
  private final Map<MethodClassKey, Optional<MethodLimit>> found = new ConcurrentHashMap<>();
  private final BooleanSupplier handlersAreLimited;
  private final BeanFactory beans;

  /**
   * Over all beans.
   *
   * @param handlersAreLimited whether a web framework asks for handlers without a key. If not, they
   *     are methods like any other
   * @param beans found by expressions
   */
  public MethodLimits(BooleanSupplier handlersAreLimited, BeanFactory beans) {
    this.handlersAreLimited = handlersAreLimited;
    this.beans = beans;
  }

  /**
   * What is said about a method.
   *
   * @param method the method
   * @param targetClass the bean's own class
   * @return null if it is not limited
   */
  public @Nullable MethodLimit find(Method method, Class<?> targetClass) {
    MethodClassKey key = new MethodClassKey(method, targetClass);
    Optional<MethodLimit> known = found.get(key); // without the lock that computeIfAbsent may take
    if (known == null) {
      known = found.computeIfAbsent(key, any -> Optional.ofNullable(read(method, targetClass)));
    }
    return known.orElse(null);
  }

  /** The same, unless it is the web framework that asks. */
  @Nullable MethodLimit findForProxy(Method method, Class<?> targetClass) {
    MethodLimit limit = find(method, targetClass);
    return limit == null || limit.isDecidedByRequest() ? null : limit;
  }

  /**
   * Returns whether the condition of a limited handler holds, which is decided before its arguments
   * are read.
   *
   * @param method the method
   * @param targetClass the bean's own class
   * @param roles the roles of the caller
   * @return true if there is no condition
   */
  public boolean conditionHolds(Method method, Class<?> targetClass, Predicate<String> roles) {
    MethodLimit limit = find(method, targetClass);
    if (limit == null || !limit.isConditional()) {
      return true;
    }
    StandardEvaluationContext context = new StandardEvaluationContext(new Caller(roles));
    context.setBeanResolver(new BeanFactoryResolver(beans));
    return limit.applies(context);
  }

  ParameterNameDiscoverer names() {
    return names;
  }

  private @Nullable MethodLimit read(Method method, Class<?> targetClass) {
    if (method.getDeclaringClass() == Object.class) {
      return null;
    }
    Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
    RateLimit own = AnnotatedElementUtils.findMergedAnnotation(specific, RateLimit.class);
    boolean controller = isAnnotated(targetClass, CONTROLLER);
    boolean handler = controller && isAnnotated(specific, MAPPINGS);
    RateLimit annotation = own;
    if (annotation == null && (controller ? handler : isPublic(specific))) {
      annotation = AnnotatedElementUtils.findMergedAnnotation(targetClass, RateLimit.class);
    }
    return annotation == null
        ? null
        : new MethodLimit(
            specific, targetClass, annotation, handler && handlersAreLimited.getAsBoolean(), names);
  }

  private static boolean isPublic(Method method) {
    return java.lang.reflect.Modifier.isPublic(method.getModifiers());
  }

  private static boolean isAnnotated(java.lang.reflect.AnnotatedElement element, String... names) {
    MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
    for (String name : names) {
      if (annotations.isPresent(name)) {
        return true;
      }
    }
    return false;
  }
}
