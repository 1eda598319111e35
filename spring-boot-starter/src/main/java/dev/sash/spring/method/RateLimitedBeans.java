package dev.sash.spring.method;

import dev.sash.LimiterRegistry;
import dev.sash.spring.RateLimit;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.ConfiguredPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Looks at every bean when all have been made: an annotation that would do nothing ends the start
 * of the application.
 */
public final class RateLimitedBeans implements SmartInitializingSingleton {
  private final ConfigurableListableBeanFactory beans;
  private final MethodLimits limits;
  private final ConfiguredPolicies policies;
  private final ObjectProvider<LimiterRegistry> limiters;
  private final Set<String> used = new TreeSet<>();

  /**
   * A check.
   *
   * @param beans are looked at
   * @param limits which methods are limited
   * @param policies the policies that annotations may name
   * @param limiters receive the policies of annotations with limits
   */
  public RateLimitedBeans(
      ConfigurableListableBeanFactory beans,
      MethodLimits limits,
      ConfiguredPolicies policies,
      ObjectProvider<LimiterRegistry> limiters) {
    this.beans = beans;
    this.limits = limits;
    this.policies = policies;
    this.limiters = limiters;
  }

  @Override
  public void afterSingletonsInstantiated() {
    for (String name : beans.getBeanDefinitionNames()) {
      Class<?> type = typeOf(name);
      if (type != null && AnnotationUtils.isCandidateClass(type, RateLimit.class)) {
        check(name, type);
      }
    }
    beans
        .getBeansOfType(PolicyNames.class)
        .values()
        .forEach(names -> used.addAll(names.usedPolicies()));
    PolicyUse.report(policies, used, beans);
  }

  private @Nullable Class<?> typeOf(String name) {
    Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
    return type == null ? null : ClassUtils.getUserClass(type);
  }

  private void check(String name, Class<?> type) {
    MethodLimit proxied = null;
    for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
      MethodLimit limit = method.isSynthetic() ? null : limits.find(method, type);
      if (limit != null) {
        check(limit, method);
        proxied = limit.isDecidedByRequest() ? proxied : limit;
      }
    }
    if (proxied != null && beans.containsSingleton(name) && !isAdvised(beans.getSingleton(name))) {
      throw proxied.wrong(
          "the bean '" + name + "' has no proxy that would see the call: it was made too early");
    }
  }

  private void check(MethodLimit limit, Method method) {
    InlinePolicies.register(limit, policies, limiters.getObject());
    ConfiguredPolicy policy = policies.find(limit.policy());
    if (policy == null) {
      throw limit.wrong(
          "there is no policy '" + limit.policy() + "'; there are " + policies.names());
    }
    used.add(limit.policy());
    if (limit.isDecidedByRequest()) {
      var unused = limit.fixedPermits();
      return;
    }
    int modifiers = method.getModifiers();
    for (String bean : limit.beans()) {
      if (!beans.containsBean(bean)) {
        throw limit.wrong(
            "an expression refers to @" + bean + ", but there is no bean of that name");
      }
    }
    if (Modifier.isPrivate(modifiers)
        || Modifier.isStatic(modifiers)
        || Modifier.isFinal(modifiers)) {
      throw limit.wrong("no proxy sees calls of a method that is private, static or final");
    }
    if (!policy.properties().chargeOnlyStatus().isEmpty()) {
      throw limit.wrong(
          "its policy has "
              + policy.property("charge-only-status")
              + ", but only a request has a status: leave the key away, or use "
              + policy.property("paths"));
    }
  }

  private static boolean isAdvised(@Nullable Object bean) {
    if (bean instanceof Advised advised) {
      for (Advisor advisor : advised.getAdvisors()) {
        if (advisor.getAdvice() instanceof RateLimitInterceptor) {
          return true;
        }
      }
    }
    return false;
  }
}
