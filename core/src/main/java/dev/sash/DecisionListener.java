package dev.sash;

/**
 * Hears every decision of a limiter, on the thread that asked, after the decision was made: for
 * metrics, logs and dashboards. Must be fast and thread-safe. What it throws is logged and
 * otherwise ignored: a listener cannot change or lose a decision.
 */
@FunctionalInterface
public interface DecisionListener {
  /**
   * A decision was made.
   *
   * @param policy the policy that was asked
   * @param key who asked; may be personal data, keep it out of logs and metric labels
   * @param permits what was asked for; 0 for a peek
   * @param decision the answer
   */
  void onDecision(Policy policy, String key, long permits, Decision decision);
}
