package dev.sash.spring.method;

import dev.sash.Decision;
import dev.sash.LimiterRegistry;
import dev.sash.ResolvedKey;
import dev.sash.http.PolicyDecision;
import dev.sash.spring.RateLimitExceededException;
import dev.sash.spring.config.ConfiguredPolicies;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.expression.EvaluationContext;

/** Asks before a method is called. Does not wait where the method's result can come later. */
final class RateLimitInterceptor implements MethodInterceptor {
  private final MethodLimits limits;
  private final BeanFactory beans;
  private final Supplier<LimiterRegistry> limiters;
  private final Supplier<ConfiguredPolicies> policies;
  private final Supplier<@Nullable RequestReports> reports;
  private final Supplier<Executor> executor;

  /**
   * @param executor on which a method goes on whose decision came later
   */
  RateLimitInterceptor(
      MethodLimits limits,
      BeanFactory beans,
      Supplier<LimiterRegistry> limiters,
      Supplier<ConfiguredPolicies> policies,
      Supplier<@Nullable RequestReports> reports,
      Supplier<Executor> executor) {
    this.limits = limits;
    this.beans = beans;
    this.limiters = limiters;
    this.policies = policies;
    this.reports = reports;
    this.executor = executor;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Call call = callOf(invocation);
    if (call == null) {
      return invocation.proceed();
    }
    Class<?> returned = invocation.getMethod().getReturnType();
    if (returned == CompletionStage.class || returned == CompletableFuture.class) {
      return later(call, again(invocation));
    }
    ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned);
    if (adapter != null) {
      return ReactiveCalls.guarded(call, again(invocation), adapter);
    }
    return call.next(call.key.tryAcquire(call.permits), invocation::proceed).proceed();
  }

  private @Nullable Call callOf(MethodInvocation invocation) {
    Object target = invocation.getThis();
    Method method = invocation.getMethod();
    Class<?> type = target == null ? method.getDeclaringClass() : AopUtils.getTargetClass(target);
    MethodLimit limit = limits.findForProxy(method, type);
    if (limit == null) {
      return null;
    }
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(
            target == null ? type : target,
            AopUtils.getMostSpecificMethod(method, type),
            invocation.getArguments(),
            limits.names());
    context.setBeanResolver(new BeanFactoryResolver(beans));
    if (limit.isConditional() && !limit.applies(conditionContext(invocation, method, type))) {
      return null;
    }
    InlinePolicies.register(limit, policies.get(), limiters.get());
    RequestReports found = limit.isHandler() ? reports.get() : null;
    return new Call(
        limit,
        target,
        Arrays.asList(invocation.getArguments()),
        limiters.get().get(limit.policy()).resolve(limit.key(context)),
        limit.permits(context),
        limit.isHandler(),
        policies.get().isShadow(limit.policy()),
        found == null ? null : found.ofThisThread());
  }

  private EvaluationContext conditionContext(
      MethodInvocation invocation, Method method, Class<?> type) {
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(
            new Caller(CallerRoles.ofThisThread()),
            AopUtils.getMostSpecificMethod(method, type),
            invocation.getArguments(),
            limits.names());
    context.setBeanResolver(new BeanFactoryResolver(beans));
    return context;
  }

  private static Proceeding again(MethodInvocation invocation) {
    // Of the invocation itself only the thread that got it may make use, and only once.
    MethodInvocation copy = ((ProxyMethodInvocation) invocation).invocableClone();
    return () -> ((ProxyMethodInvocation) copy).invocableClone().proceed();
  }

  private CompletableFuture<@Nullable Object> later(Call call, Proceeding proceeding) {
    CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
    CompletableFuture<Decision> decision =
        call.key.tryAcquireAsync(call.permits).toCompletableFuture();
    if (decision.isDone()) {
      var unused =
          decision.whenComplete((d, failure) -> goOn(call, proceeding, d, failure, result));
    } else {
      var unused =
          decision.whenCompleteAsync(
              (d, failure) -> goOn(call, proceeding, d, failure, result), executor.get());
    }
    return result;
  }

  private static void goOn(
      Call call,
      Proceeding proceeding,
      @Nullable Decision decision,
      @Nullable Throwable failure,
      CompletableFuture<@Nullable Object> result) {
    if (decision == null) {
      result.completeExceptionally(
          failure == null ? new IllegalStateException("no decision") : failure);
      return;
    }
    try {
      if (call.next(decision, proceeding).proceed() instanceof CompletionStage<?> stage) {
        var unused =
            stage.whenComplete(
                (value, thrown) -> {
                  if (thrown == null) {
                    result.complete(value);
                  } else {
                    result.completeExceptionally(thrown);
                  }
                });
      } else {
        result.complete(null);
      }
    } catch (Throwable e) {
      result.completeExceptionally(e);
    }
  }

  /** Calls the method; may be called by any thread and several times. */
  interface Proceeding {
    @Nullable Object proceed() throws Throwable;
  }

  /**
   * What one call asks for.
   *
   * @param shadow whether a denial is only counted
   * @param report told of decisions that are known on this thread; null if there is no request
   */
  record Call(
      MethodLimit limit,
      @Nullable Object target,
      List<@Nullable Object> arguments,
      ResolvedKey key,
      long permits,
      boolean handler,
      boolean shadow,
      @Nullable RequestReport report) {

    /** Returns what to call after a decision on this thread: the method, or its fallback. */
    Proceeding next(Decision decision, Proceeding method) {
      return next(decision, method, report);
    }

    Proceeding next(Decision decision, Proceeding method, @Nullable RequestReport receiver) {
      try {
        check(decision, receiver);
        return method;
      } catch (RateLimitExceededException denial) {
        if (!limit.hasFallback()) {
          throw denial;
        }
        return () -> limit.fallback(target, arguments, denial);
      }
    }

    /** Throws a denial, and reports any other decision. */
    private void check(Decision decision, @Nullable RequestReport told) {
      if (shadow) {
        return;
      }
      String policy = key.policy().name();
      var limits = key.limits();
      if (!decision.allowed()) {
        throw RateLimitExceededException.of(policy, limits, decision);
      }
      if (told != null) {
        told.tell(new PolicyDecision(policy, limits, null, key.key(), permits, decision));
      }
    }
  }
}
