package dev.sash.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits calls of a bean's method, or of all its public methods. A call that does not fit throws a
 * {@link RateLimitExceededException} before anything else happens, unless there is a {@link
 * #fallbackMethod}.
 *
 * <pre>{@code
 * @RateLimit("search")                              // each client, on a controller's handler
 * @GetMapping("/search")
 * List<Hit> search(@RequestParam String words) {...}
 *
 * @RateLimit(value = "export", key = "#user.id", permits = "#rows.size()")
 * Mono<File> export(User user, List<Row> rows) {...}
 *
 * @RateLimit(limits = "5/1m", key = "#user.id", when = "!hasRole('ADMIN')")
 * void invite(User user) {...}
 * }</pre>
 *
 * <p>Where there is no {@link #key}, a handler of a controller is limited by who sends the request,
 * as the policy's {@code key} says; any other method has one key for all callers.
 *
 * <p>A method that returns a {@link java.util.concurrent.CompletionStage} or a type of Reactor does
 * not wait for the decision: what it returns fails if the call does not fit. Of the latter every
 * subscription is a call. Any other method waits, for as long as the policy's deadline at most.
 *
 * <p>As always with Spring's proxies, a call from inside the same object is not seen. A policy that
 * does not exist, an expression that cannot be read, and a method that no proxy can see (private,
 * static, final) end the start of the application.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface RateLimit {
  /**
   * The name of the policy: one under {@code sash.policies}, or a bean of type {@link
   * dev.sash.Policy}. Left out if there are {@link #limits}.
   *
   * @return the name
   */
  String value() default "";

  /**
   * Limits of the method alone, such as {@code 5/1m}, instead of a policy. They form a policy that
   * is named after the class and the method, for example {@code Invitations.invite}.
   *
   * @return the limits, which hold together
   */
  String[] limits() default {};

  /**
   * What is limited: an expression (SpEL) over the arguments, such as {@code #user.id}, {@code
   * #a0.name} or {@code @tenants.current()}.
   *
   * @return the expression; its value must not be null or empty
   */
  String key() default "";

  /**
   * What a call costs: a number, or an expression like {@code #rows.size()}.
   *
   * @return the expression; its value must be between 0 and 10⁹
   */
  String permits() default "1";

  /**
   * When a call is limited: an expression (SpEL) that is true or false, over the arguments, beans
   * and {@code hasRole('ADMIN')}, the roles of the caller. Always if it is empty. A handler that is
   * limited without a key is decided before its arguments are read. In other methods that return a
   * reactive type, the roles of the caller are not known.
   *
   * @return the expression
   */
  String when() default "";

  /**
   * The method of the same class to call instead if the call does not fit. It has the same
   * parameters, perhaps a {@link RateLimitExceededException} after them, and the same return type.
   * Only for calls with a {@link #key}, and methods that are not handlers.
   *
   * @return the method's name; empty to throw the exception
   */
  String fallbackMethod() default "";
}
