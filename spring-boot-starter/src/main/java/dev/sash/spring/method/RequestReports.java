package dev.sash.spring.method;

import org.jspecify.annotations.Nullable;

/** Finds the request that a thread is handling. */
@FunctionalInterface
public interface RequestReports {
  /**
   * The request of this thread.
   *
   * @return null if there is none
   */
  @Nullable RequestReport ofThisThread();
}
