package dev.sash.config.policy;

import org.jspecify.annotations.Nullable;

/**
 * How many permits a request costs that does not say so itself.
 *
 * @param permits the cost, 0 to 10⁹; where an attribute tells it, that of requests without the
 *     attribute, 1 or more
 * @param attribute the attribute that tells the cost; null if it is the same for all
 * @param most the most that the attribute may tell, 1 to 10⁹: more is charged as this, and 0 as 1
 */
public record Cost(long permits, @Nullable String attribute, long most) {
  /** One permit each. */
  public static final Cost ONE = new Cost(1, null, 1);
}
