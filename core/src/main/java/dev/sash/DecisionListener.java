package dev.sash;

/**
 * Called after every acquisition and peek, on the thread that made the decision: for metrics, logs
 * and dashboards. Must be fast and thread-safe. Exceptions are logged and otherwise ignored: a
 * listener cannot change or lose a decision.
 */
@FunctionalInterface
public interface DecisionListener {
  /**
   * Called after a decision.
   *
   * @param policy the policy that decided
   * @param key the key; may be personal data, keep it out of logs and metric labels
   * @param permits the number of permits requested; 0 for a peek
   * @param decision the decision
   */
  void onDecision(Policy policy, String key, long permits, Decision decision);
}
