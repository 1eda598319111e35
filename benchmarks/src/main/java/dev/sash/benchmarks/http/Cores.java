package dev.sash.benchmarks.http;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Binds the load generator and the application to different cores, by {@code taskset}, where it is
 * installed.
 */
public final class Cores {
  /** The core of the load generator. */
  public static final String OF_GENERATOR = "0";

  /** The core of the application. */
  public static final String OF_APPLICATION = "1";

  /** As many as there were before anything was bound. */
  public static final String ALL = "0-" + (Runtime.getRuntime().availableProcessors() - 1);

  /** Found out once: a process that is bound to one core sees no other. */
  private static final boolean CHOOSABLE =
      Runtime.getRuntime().availableProcessors() > 1 && bind(ProcessHandle.current().pid(), ALL);

  private Cores() {}

  /** Whether there are two cores, and processes can be bound to them. */
  public static boolean canBeChosen() {
    return CHOOSABLE;
  }

  /**
   * Binds a process, with all its threads and those to come.
   *
   * @return false if it cannot be bound, and runs wherever the system likes
   */
  public static boolean bind(long pid, String cores) {
    try {
      Process taskset =
          new ProcessBuilder("taskset", "-a", "-c", "-p", cores, Long.toString(pid))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return taskset.waitFor(10, TimeUnit.SECONDS) && taskset.exitValue() == 0;
    } catch (IOException e) {
      return false; // not Linux, or not installed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
