package dev.sash.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TimerTest {
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);
  private static final ThreadLocal<String> OF_THE_APPLICATION = new InheritableThreadLocal<>();

  @Test
  void itsThreadBelongsToNoApplication() throws Exception {
    Thread caller = Thread.currentThread();
    ClassLoader before = caller.getContextClassLoader();
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    CompletableFuture<String> inherited = new CompletableFuture<>();
    try (URLClassLoader application = new URLClassLoader(new URL[0])) {
      caller.setContextClassLoader(application);
      OF_THE_APPLICATION.set("leaked");
      schedule(
          0,
          () -> {
            thread.complete(Thread.currentThread());
            inherited.complete(String.valueOf(OF_THE_APPLICATION.get()));
          });
      assertThat(thread.get().getContextClassLoader()).isNull();
      assertThat(thread.get().isDaemon()).isTrue();
      assertThat(thread.get().getName()).isEqualTo("sash-timer");
      assertThat(inherited.get()).isEqualTo("null");
    } finally {
      caller.setContextClassLoader(before);
      OF_THE_APPLICATION.remove();
    }
  }

  @Test
  void runsTasksInTheOrderOfTheirTimes() throws Exception {
    CompletableFuture<String> first = new CompletableFuture<>();
    schedule(TimeUnit.MILLISECONDS.toNanos(200), () -> first.complete("later"));
    schedule(TimeUnit.MILLISECONDS.toNanos(1), () -> first.complete("sooner"));

    assertThat(first.get()).isEqualTo("sooner");
  }

  @Test
  void aTaskThatFailsDoesNotStopTheTimer() throws Exception {
    schedule(
        0,
        () -> {
          throw new IllegalStateException("on purpose");
        });
    CompletableFuture<String> next = new CompletableFuture<>();
    schedule(1, () -> next.complete("runs"));

    assertThat(next.get()).isEqualTo("runs");
  }

  @Test
  void failsAFutureThatIsNotCompleteInTime() {
    CompletableFuture<String> future = new CompletableFuture<>();
    Timer.failAfter(future, 1);

    assertThat(future)
        .failsWithin(30, TimeUnit.SECONDS)
        .withThrowableThat()
        .withCauseInstanceOf(TimeoutException.class);
  }

  @Test
  void leavesAFutureAloneThatIsComplete() {
    CompletableFuture<String> future = CompletableFuture.completedFuture("done");
    Timer.failAfter(future, 0);

    assertThat(future).isCompletedWithValue("done");
  }

  @Test
  void aTaskCanBeCancelled() throws Exception {
    CompletableFuture<String> first = new CompletableFuture<>();
    Future<?> cancelled = Timer.after(HOUR, () -> first.complete("cancelled"));
    cancelled.cancel(false);
    schedule(0, () -> first.complete("other"));

    assertThat(first.get()).isEqualTo("other");
    assertThat(cancelled.isCancelled()).isTrue();
  }

  private static void schedule(long nanos, Runnable task) {
    var unused = Timer.after(nanos, task);
  }
}
