package dev.sash.store;

import dev.sash.Release;
import dev.sash.internal.Bounds;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * Computes when the permits charged under a limit leave it, in a bounded number of steps, each of
 * which is about the same part of them. Up to {@link #STEPS} permits have a step each.
 */
public final class Releases {
  /** The number of steps. */
  public static final int STEPS = 20;

  private Releases() {}

  /**
   * Returns how many permits are still charged after a step.
   *
   * @param used the permits charged now
   * @param step from 1 to {@link #STEPS}
   * @return 0 after the last step
   */
  public static long left(long used, int step) {
    Bounds.check("step", 1, STEPS, step);
    return used * (STEPS - step) / STEPS; // at most 2 * 10^9 permits can be charged
  }

  /**
   * Returns when permits leave.
   *
   * @param used the permits charged now
   * @param waitMicros returns the wait in microseconds until no more than {@link #left} permits are
   *     charged after a step; must not fall from step to step
   * @return ever later, with ever fewer permits; empty if nothing is charged
   */
  public static List<Release> of(long used, IntToLongFunction waitMicros) {
    List<Release> releases = new ArrayList<>();
    long before = used;
    for (int step = 1; step <= STEPS; step++) {
      long left = left(used, step);
      if (left < before) {
        before = left;
        Duration after = Duration.of(waitMicros.applyAsLong(step), ChronoUnit.MICROS);
        int last = releases.size() - 1;
        if (last >= 0 && releases.get(last).after().compareTo(after) >= 0) {
          releases.remove(last); // they leave together
        }
        releases.add(new Release(after, left));
      }
    }
    return List.copyOf(releases);
  }
}
