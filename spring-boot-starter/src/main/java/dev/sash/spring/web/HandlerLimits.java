package dev.sash.spring.web;

import dev.sash.http.HttpLimiter;
import dev.sash.http.PolicyDecision;
import dev.sash.http.Verdict;
import dev.sash.spring.RateLimitExceededException;
import dev.sash.spring.method.MethodLimit;
import dev.sash.spring.method.MethodLimits;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Handlers that are annotated without a key: who sends the request is limited. Thread-safe. */
public final class HandlerLimits {
  private final WebLimits web;
  private final MethodLimits methods;
  private final Map<MethodLimit, HttpLimiter> limiters = new ConcurrentHashMap<>();

  /**
   * Over all handlers.
   *
   * @param web makes limiters
   * @param methods knows the annotations
   */
  public HandlerLimits(WebLimits web, MethodLimits methods) {
    this.web = web;
    this.methods = methods;
  }

  /**
   * What limits a handler.
   *
   * @param method its method
   * @param type its bean's own class
   * @return null if it is not limited, or by a key of its own
   */
  public @Nullable HttpLimiter find(Method method, Class<?> type) {
    MethodLimit limit = methods.find(method, type);
    return limit == null || !limit.isDecidedByRequest()
        ? null
        : limiters.computeIfAbsent(limit, l -> web.forHandler(l.policy(), l.fixedPermits()));
  }

  /**
   * Returns whether the condition of a limited handler holds.
   *
   * @param method its method
   * @param type its bean's own class
   * @param roles the roles of the caller
   * @return true if the request is limited
   */
  public boolean apply(Method method, Class<?> type, Predicate<String> roles) {
    return methods.conditionHolds(method, type, roles);
  }

  /**
   * The denial in a verdict, as an exception.
   *
   * @param verdict of a handler's limiter
   * @return empty if no limit was exceeded
   */
  public static Optional<RateLimitExceededException> denial(Verdict verdict) {
    return verdict.decisions().stream()
        .filter(answer -> !answer.decision().allowed())
        .findFirst()
        .map(HandlerLimits::exception);
  }

  private static RateLimitExceededException exception(PolicyDecision answer) {
    return RateLimitExceededException.of(answer.policy(), answer.limits(), answer.decision());
  }
}
