package dev.sash.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class PunctualityTest {
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final Punctuality punctuality = new Punctuality();
  private final AtomicReference<Runnable> task = new AtomicReference<>();

  PunctualityTest() {
    punctuality.watch((nanos, next) -> task.set(next));
  }

  @Test
  void aTaskThatIsStillDueCounts() {
    long before = punctuality.lateNanos();

    pause();

    assertThat(punctuality.lateNanos() - before).isGreaterThan(LATE_NANOS / 2);
  }

  @Test
  void whatATaskWasLateByIsCountedOnce() {
    long start = System.nanoTime();
    long before = punctuality.lateNanos();
    pause();
    task.get().run();
    long late = punctuality.lateNanos() - before;

    assertThat(late)
        .isBetween(LATE_NANOS / 2, System.nanoTime() - start)
        .isLessThanOrEqualTo(punctuality.lateNanos() - before);
  }

  @Test
  void aStepCountsUntilItEnds() {
    Punctuality stepsOnly = new Punctuality();
    Punctuality.Step step = stepsOnly.step();
    long start = System.nanoTime();
    long began = step.begin();
    pause();
    long during = stepsOnly.lateNanos();
    step.end(began);
    long after = stepsOnly.lateNanos();
    long elapsed = System.nanoTime() - start;
    pause();

    assertThat(during).isBetween(LATE_NANOS / 2, elapsed);
    assertThat(after).isBetween(during, elapsed);
    long caughtUp = stepsOnly.lateNanos();
    assertThat(caughtUp).as("catches up, once").isBetween(after, after + elapsed);
    pause();
    assertThat(stepsOnly.lateNanos()).as("nobody does it").isEqualTo(caughtUp);
  }

  @Test
  void theTimeToCatchUpCountsAsLate() {
    Punctuality untouched = new Punctuality();
    long before = untouched.lateNanos();
    untouched.catchUp(LATE_NANOS);
    LockSupport.parkNanos(LATE_NANOS / 3);
    long during = untouched.lateNanos() - before;
    pause();
    long after = untouched.lateNanos() - before;

    assertThat(during).isBetween(LATE_NANOS / 4, LATE_NANOS);
    assertThat(after).isBetween(LATE_NANOS, LATE_NANOS + LATE_NANOS / 10);
    pause();
    assertThat(untouched.lateNanos() - before).isEqualTo(after);
  }

  @Test
  void afterALongDelayAProcessCatchesUpForAsLong() {
    long before = punctuality.lateNanos();
    pause();
    task.get().run();
    long late = punctuality.lateNanos() - before;
    beatFor(LATE_NANOS / 2);
    assertThat(punctuality.lateNanos() - before).isGreaterThan(late + LATE_NANOS / 4);
  }

  /** Runs the task when it is due, more or less. */
  private void beatFor(long nanos) {
    for (long end = System.nanoTime() + nanos; System.nanoTime() < end; ) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      task.get().run();
    }
  }

  @Test
  void aThreadThatEndsAStepDoesNotEndThatOfAnother() {
    Punctuality stepsOnly = new Punctuality();
    Punctuality.Step step = stepsOnly.step();
    long first = step.begin();
    pause();
    long second = step.begin();
    step.end(first);
    long before = stepsOnly.lateNanos();
    pause();

    assertThat(stepsOnly.lateNanos() - before).isGreaterThan(LATE_NANOS / 2);
    step.end(second);
    assertThat(stepsOnly.lateNanos() - before).isGreaterThan(LATE_NANOS / 2);
  }

  @Test
  void whatOneIsLateByIsKeptWhileAnotherIsStillDue() {
    Punctuality.Step step = punctuality.step();
    long start = System.nanoTime();
    long before = punctuality.lateNanos();
    for (int i = 1; i <= 4; i++) {
      pause();
      long began = step.begin();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      step.end(began);
      assertThat(punctuality.lateNanos() - before)
          .isBetween(i * LATE_NANOS - LATE_NANOS / 2, System.nanoTime() - start);
    }
    pause();
    task.get().run();

    assertThat(punctuality.lateNanos() - before)
        .isBetween(5 * LATE_NANOS - LATE_NANOS / 2, System.nanoTime() - start);
  }

  @Test
  void nothingIsWatchedWhileNobodyAsks() {
    assertThat(task).hasNullValue();
    assertThat(punctuality.lateNanos()).isNotNegative();
    assertThat(task).doesNotHaveNullValue();
    Runnable first = task.get();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1_500));
    first.run();
    assertThat(task).as("not scheduled again").hasValue(first);
    assertThat(punctuality.lateNanos()).isPositive();
    assertThat(task.get()).isNotSameAs(first);
  }

  @Test
  void aThreadThatHasEndedIsNotWatched() {
    punctuality.watch(
        (nanos, next) -> {
          throw new RejectedExecutionException("ended");
        });
    long before = punctuality.lateNanos();
    task.get().run();

    assertThat(punctuality.lateNanos()).isGreaterThanOrEqualTo(before);
  }

  private static void pause() {
    LockSupport.parkNanos(LATE_NANOS);
  }
}
