package dev.sash.server.statistics;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;

/**
 * The counts of a policy, or of all.
 *
 * @param policy the policy's name; empty for all of them together
 * @param detailed whether there are details
 * @param counts by measure, all of them
 */
public record PolicyCounts(String policy, boolean detailed, Map<Measure, Counts> counts) {
  /** The most denials of the last hour first, or what would be denials; then the most requests. */
  static final Comparator<PolicyCounts> ORDER =
      Comparator.<PolicyCounts>comparingLong(
              policy -> policy.of(Measure.DENIED).hour() + policy.of(Measure.WOULD_DENY).hour())
          .thenComparingLong(policy -> policy.of(Measure.ALLOWED).hour())
          .reversed()
          .thenComparing(PolicyCounts::policy);

  static PolicyCounts of(String policy, boolean detailed, TimeSeries series, long nowMillis) {
    Map<Measure, Counts> counts = new EnumMap<>(Measure.class);
    for (Measure measure : Measure.values()) {
      counts.put(measure, Counts.of(series, measure, nowMillis));
    }
    return new PolicyCounts(policy, detailed, counts);
  }

  /** Returns the counts of both, with the name and the details of this one. */
  PolicyCounts plus(PolicyCounts other) {
    Map<Measure, Counts> sums = new EnumMap<>(Measure.class);
    for (Measure measure : Measure.values()) {
      sums.put(measure, of(measure).plus(other.of(measure)));
    }
    return new PolicyCounts(policy, detailed, sums);
  }

  /**
   * Returns the counts of a measure.
   *
   * @param measure what is counted
   * @return zeros if it never happened
   */
  public Counts of(Measure measure) {
    return counts.getOrDefault(measure, new Counts(0, 0, 0, 0));
  }
}
