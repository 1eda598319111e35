package dev.sash.server.engine;

import dev.sash.Limit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to decide about a key, by a policy or by limits that it brings, over any protocol.
 *
 * @param policy the policy's name; null if there are limits
 * @param key the key to charge; null if the policy makes it of attributes
 * @param permits the number of permits; null for the cost that the policy states
 * @param attributes what else is known about the request, by name
 * @param limits ad-hoc limits; null if there is a policy
 */
public record CheckRequest(
    @Nullable String policy,
    @Nullable String key,
    @Nullable Long permits,
    Map<String, String> attributes,
    @Nullable List<Limit> limits) {

  /** Checks that there is either a policy, or a key with limits and nothing else. */
  public CheckRequest {
    if (limits == null && policy == null) {
      throw new IllegalArgumentException("policy must be given");
    }
    if (limits != null && policy != null) {
      throw new IllegalArgumentException(
          "policy and limits must not both be given: limits are for requests without policy");
    }
    if (limits != null && key == null) {
      throw new IllegalArgumentException("key must be given with limits");
    }
    if (limits != null && !attributes.isEmpty()) {
      throw new IllegalArgumentException(
          "attributes must not be given with limits: there is no policy to use them");
    }
  }

  /**
   * Creates a request by a policy.
   *
   * @param policy the policy's name
   * @param key the key to charge; null if the policy makes it of attributes
   * @param permits the number of permits; null for the cost that the policy states
   * @param attributes what else is known about the request, by name
   */
  public CheckRequest(
      String policy, @Nullable String key, @Nullable Long permits, Map<String, String> attributes) {
    this(policy, key, permits, attributes, null);
  }

  /**
   * Returns a request by a policy, without attributes.
   *
   * @param policy the policy's name
   * @param key the key to charge
   * @param permits the number of permits; null for the cost that the policy states
   * @return the request
   */
  public static CheckRequest of(String policy, String key, @Nullable Long permits) {
    return new CheckRequest(policy, key, permits, Map.of());
  }

  /**
   * Returns a request by ad-hoc limits.
   *
   * @param key the key to charge
   * @param permits the number of permits; null for 1
   * @param limits the limits
   * @return the request
   */
  public static CheckRequest of(String key, @Nullable Long permits, List<Limit> limits) {
    return new CheckRequest(null, key, permits, Map.of(), limits);
  }

  /**
   * Returns this request for another number of permits.
   *
   * @param permits the number of permits
   * @return the request
   */
  public CheckRequest withPermits(long permits) {
    return new CheckRequest(policy, key, permits, attributes, limits);
  }
}
