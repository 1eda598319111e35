package dev.sash.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One timer thread for all of Sash. It belongs to no application: it has no context class loader
 * and no inherited thread locals, and ends when it has nothing to do, so that it does not keep the
 * classes of a web application that was undeployed.
 */
public final class Timer {
  private static final ScheduledThreadPoolExecutor EXECUTOR = executor();

  private Timer() {}

  private static ScheduledThreadPoolExecutor executor() {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(null, task, "sash-timer", 0, false);
              thread.setDaemon(true);
              thread.setContextClassLoader(null);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setKeepAliveTime(5, TimeUnit.SECONDS);
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /**
   * Runs a short task later, on the timer's thread.
   *
   * @param nanos how much later; 0 or less for now
   * @param task must not block
   * @return to cancel it
   * @throws RejectedExecutionException never, as the timer is not shut down
   */
  public static Future<?> after(long nanos, Runnable task) {
    return EXECUTOR.schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  /**
   * Completes a future with a {@link TimeoutException} if it is not complete by then.
   *
   * @param future the future
   * @param nanos when
   */
  public static void failAfter(CompletableFuture<?> future, long nanos) {
    Future<?> timeout =
        after(
            nanos, () -> future.completeExceptionally(new TimeoutException("no response in time")));
    var unused =
        future.whenComplete(
            (done, failure) -> {
              if (!timeout.isDone()) {
                timeout.cancel(false);
              }
            });
  }
}
