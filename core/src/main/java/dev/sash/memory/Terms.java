package dev.sash.memory;

import dev.sash.Limit;
import dev.sash.Policy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What holds for one request.
 *
 * @param policy the policy that was in force when the request was made
 * @param limits its limits for the key
 * @param only the limit, if there is just one
 */
record Terms(Policy policy, List<Limit> limits, @Nullable Limit only) {
  static Terms of(Policy policy, List<Limit> limits) {
    return new Terms(policy, limits, limits.size() == 1 ? limits.get(0) : null);
  }
}
