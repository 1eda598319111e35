package dev.sash.spring.method;

import dev.sash.LimiterRegistry;
import dev.sash.spring.RateLimit;
import dev.sash.spring.config.ConfiguredPolicies;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Puts a proxy around beans with limited methods. In front of transactions, caches and retries: a
 * call that is denied must not cost anything. By itself, so that limits hold without AspectJ and
 * also where {@code spring.aop.auto} is off.
 */
public final class RateLimitBeanPostProcessor
    extends AbstractBeanFactoryAwareAdvisingPostProcessor {
  private static final long serialVersionUID = 1L;
  private static final String EXECUTOR = "applicationTaskExecutor";

  private final transient MethodLimits limits;

  /**
   * A post-processor.
   *
   * @param limits which methods are limited
   */
  public RateLimitBeanPostProcessor(MethodLimits limits) {
    this.limits = limits;
    setBeforeExistingAdvisors(true);
    setProxyTargetClass(true);
    setOrder(Ordered.LOWEST_PRECEDENCE);
  }

  /** Only looks beans up when methods are called: whatever is made now is not post-processed. */
  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    super.setBeanFactory(beanFactory);
    this.advisor =
        new DefaultPointcutAdvisor(
            new LimitedMethods(limits),
            new RateLimitInterceptor(
                limits,
                beanFactory,
                () -> beanFactory.getBean(LimiterRegistry.class),
                () -> beanFactory.getBean(ConfiguredPolicies.class),
                () -> beanFactory.getBeanProvider(RequestReports.class).getIfAvailable(),
                () -> executor(beanFactory)));
  }

  /** A final class would fail here anyway, with a message about CGLIB. */
  @Override
  protected boolean isEligible(Object bean, String beanName) {
    boolean eligible = super.isEligible(bean, beanName);
    Class<?> type = bean.getClass();
    if (eligible && Modifier.isFinal(type.getModifiers()) && !Proxy.isProxyClass(type)) {
      for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
        MethodLimit limit = limits.findForProxy(method, type);
        if (limit != null) {
          throw limit.wrong(
              "no proxy sees calls of a final class: remove 'final' from " + type.getSimpleName());
        }
      }
    }
    return eligible;
  }

  private static Executor executor(BeanFactory beanFactory) {
    return beanFactory.containsBean(EXECUTOR)
        ? beanFactory.getBean(EXECUTOR, Executor.class)
        : ForkJoinPool.commonPool();
  }

  /** Methods that are not decided by a web framework. */
  private static final class LimitedMethods extends StaticMethodMatcherPointcut {
    private final MethodLimits limits;

    LimitedMethods(MethodLimits limits) {
      this.limits = limits;
      setClassFilter(type -> AnnotationUtils.isCandidateClass(type, RateLimit.class));
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
      return limits.findForProxy(method, targetClass) != null;
    }
  }
}
