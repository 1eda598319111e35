package dev.sash.server.engine;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who asks for what.
 *
 * @param policy the policy's name
 * @param key who spends; null if the policy makes the key of attributes
 * @param permits how many; null for what the policy says a request costs
 * @param attributes what else is known of the request, by name
 */
public record Question(
    String policy, @Nullable String key, @Nullable Long permits, Map<String, String> attributes) {

  /**
   * A question of which nothing but policy and key is known.
   *
   * @param policy the policy's name
   * @param key who spends
   * @param permits how many; null for what the policy says a request costs
   * @return the question
   */
  public static Question of(String policy, String key, @Nullable Long permits) {
    return new Question(policy, key, permits, Map.of());
  }
}
