package dev.sash.server.statistics;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last denials. Not thread-safe. */
public final class RecentDenials {
  /** The number of denials that are kept. */
  public static final int MOST = 1_000;

  private final @Nullable Denial[] ring = new Denial[MOST];
  private int next;

  /**
   * Adds the latest denial, in place of the oldest.
   *
   * @param denial the denial
   */
  public void add(Denial denial) {
    ring[next] = denial;
    next = (next + 1) % MOST;
  }

  /**
   * Returns the latest denials.
   *
   * @param policy the policy that denied; null for all
   * @param most the most to return
   * @return the latest first
   */
  public List<Denial> latest(@Nullable String policy, int most) {
    List<Denial> found = new ArrayList<>();
    for (int back = 1; back <= MOST && found.size() < most; back++) {
      Denial denial = ring[Math.floorMod(next - back, MOST)];
      if (denial == null) {
        break;
      }
      if (policy == null || policy.equals(denial.policy())) {
        found.add(denial);
      }
    }
    return found;
  }
}
