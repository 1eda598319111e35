package dev.sash.config.policy;

import org.jspecify.annotations.Nullable;

/**
 * The number of permits that a request costs if it does not specify a cost itself.
 *
 * @param permits the cost, 0 to 10⁹; with an attribute, the cost of requests without it, 1 or more
 * @param attribute the attribute with the cost; null if the cost is the same for all requests
 * @param most the largest cost that the attribute can have, 1 to 10⁹: more is charged as this, and
 *     0 as 1
 */
public record Cost(long permits, @Nullable String attribute, long most) {
  /** One permit per request. */
  public static final Cost ONE = new Cost(1, null, 1);
}
