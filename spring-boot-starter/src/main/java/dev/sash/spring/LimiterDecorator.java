package dev.sash.spring;

import dev.sash.RateLimiter;

/** Puts something around every limiter of an application. A bean; several apply in their order. */
@FunctionalInterface
public interface LimiterDecorator {
  /**
   * Decorates a limiter.
   *
   * @param limiter decides
   * @return asked in its place
   */
  RateLimiter decorate(RateLimiter limiter);
}
