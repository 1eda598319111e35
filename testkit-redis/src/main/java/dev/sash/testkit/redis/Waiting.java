package dev.sash.testkit.redis;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Asks again and again until something that happens in another process has happened. */
final class Waiting {
  private static final long PAUSE_MILLIS = 10;

  private Waiting() {}

  /**
   * Returns when nothing is missing any more.
   *
   * @param goal what is waited for, for the message
   * @param limit how long at most
   * @param missing what is still missing, empty when the goal is reached; a server that answers
   *     with an error or not at all has not reached it
   * @throws IllegalStateException if the goal was not reached in time, with what was last missing
   */
  static void until(String goal, Duration limit, Supplier<String> missing) {
    long start = System.nanoTime();
    String last = ask(missing);
    while (!last.isEmpty()) {
      if (System.nanoTime() - start > limit.toNanos()) {
        throw new IllegalStateException(
            "waited %d ms for: %s; last seen: %s".formatted(limit.toMillis(), goal, last));
      }
      pause(goal);
      last = ask(missing);
    }
  }

  /** Waits for the end of a process, and says whether it came in time. */
  static boolean ended(Process process, Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw interrupted("the end of process " + process.pid(), e);
    }
  }

  private static String ask(Supplier<String> missing) {
    try {
      return missing.get();
    } catch (UncheckedIOException | RedisReplyException e) {
      return e.toString();
    }
  }

  private static void pause(String goal) {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      throw interrupted(goal, e);
    }
  }

  private static IllegalStateException interrupted(String goal, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted while waiting for: " + goal, cause);
  }
}
