package dev.sash.spring.gateway;

import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.Policy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limit of one route, as {@code RequestRateLimiter} reads it from the arguments that begin with
 * {@code sash-rate-limiter}: either the name of a policy, or limits. Not thread-safe; every setter
 * returns this object.
 */
public final class GatewayLimit {
  private @Nullable String policy;
  private List<String> limits = List.of();
  private @Nullable Boolean byRoute;
  private long permits = 1;
  private @Nullable FailureRule failureRule;
  private @Nullable Duration deadline;

  /** Creates a configuration without a limit. */
  public GatewayLimit() {}

  /**
   * Returns the name of the policy.
   *
   * @return null if there are limits instead
   */
  public @Nullable String getPolicy() {
    return policy;
  }

  /**
   * Sets the policy.
   *
   * @param policy the name of one under {@code sash.policies}, or of a {@link Policy} bean
   * @return this
   */
  public GatewayLimit setPolicy(String policy) {
    this.policy = policy;
    return this;
  }

  /**
   * Returns the limits of the route itself.
   *
   * @return empty if there is a policy instead
   */
  public List<String> getLimits() {
    return limits;
  }

  /**
   * Sets limits of the route itself; all of them hold.
   *
   * @param limits as {@link Limit#parse} reads them, for example {@code 100/1m}
   * @return this
   */
  public GatewayLimit setLimits(List<String> limits) {
    this.limits = List.copyOf(limits);
    return this;
  }

  /**
   * Returns whether each route has its own limit under the policy.
   *
   * @return null if it is not set: routes that name the same policy share it
   */
  public @Nullable Boolean getByRoute() {
    return byRoute;
  }

  /**
   * Sets whether a key has a limit of its own on each route that names the policy, instead of one
   * for all of them. Limits of the route itself are always its own.
   *
   * @param byRoute true to add the route to the key
   * @return this
   */
  public GatewayLimit setByRoute(boolean byRoute) {
    this.byRoute = byRoute;
    return this;
  }

  /**
   * Returns the cost of a request.
   *
   * @return the number of permits
   */
  public long getPermits() {
    return permits;
  }

  /**
   * Sets the cost of a request.
   *
   * @param permits 1 to 10⁹; 1 by default
   * @return this
   */
  public GatewayLimit setPermits(long permits) {
    this.permits = permits;
    return this;
  }

  /**
   * Returns the failure rule.
   *
   * @return null if it is not set: that of the policy, or {@link FailureRule#LOCAL} for limits
   */
  public @Nullable FailureRule getFailureRule() {
    return failureRule;
  }

  /**
   * Sets what decides under limits of the route itself while Redis is unavailable.
   *
   * @param failureRule the rule
   * @return this
   */
  public GatewayLimit setFailureRule(FailureRule failureRule) {
    this.failureRule = failureRule;
    return this;
  }

  /**
   * Returns the deadline of decisions.
   *
   * @return null if it is not set: that of the policy, or 50 ms for limits
   */
  public @Nullable Duration getDeadline() {
    return deadline;
  }

  /**
   * Sets the time within which Redis has to decide under limits of the route itself.
   *
   * @param deadline as in {@link Policy#withDeadline}
   * @return this
   */
  public GatewayLimit setDeadline(Duration deadline) {
    this.deadline = deadline;
    return this;
  }
}
