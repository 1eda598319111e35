package dev.sash.server.http;

import dev.sash.Limit;
import dev.sash.server.engine.Question;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks, as it was sent: a policy or limits of its own, a key, permits, attributes.
 *
 * @param policy the policy's name; null if there are limits
 * @param key who spends; null if the policy makes the key of attributes
 * @param permits how many; null for what the policy says a request costs
 * @param attributes what else is known
 * @param limits ad-hoc limits; null if there is a policy
 * @param wantsReceipt whether the answer is to contain a receipt
 * @param receipt the receipt of the charge that is to be given back; null if there is none
 */
record Ask(
    @Nullable String policy,
    @Nullable String key,
    @Nullable Long permits,
    Map<String, String> attributes,
    @Nullable List<Limit> limits,
    boolean wantsReceipt,
    @Nullable String receipt) {
  /** Creates a request that has to do with no receipt. */
  Ask(
      @Nullable String policy,
      @Nullable String key,
      @Nullable Long permits,
      Map<String, String> attributes,
      @Nullable List<Limit> limits) {
    this(policy, key, permits, attributes, limits, false, null);
  }

  Ask {
    if ((policy == null) == (limits == null)) {
      throw Refusal.bad(
          policy == null
              ? "policy must be given"
              : "policy and limits must not both be given: limits are for requests without policy");
    }
    if (limits != null && key == null) {
      throw Refusal.bad("key must be given with limits");
    }
    if (limits != null && (wantsReceipt || receipt != null)) {
      throw Refusal.bad("receipt must not be given with limits: receipts are for policies");
    }
    if (limits != null && !attributes.isEmpty()) {
      throw Refusal.bad("attributes must not be given with limits: there is no policy to use them");
    }
  }

  Ask withPermits(long permits) {
    return new Ask(policy, key, permits, attributes, limits, wantsReceipt, receipt);
  }

  /** The question about the policy. */
  Question question() {
    if (policy == null) {
      throw new IllegalStateException("there is no policy");
    }
    return new Question(policy, key, permits, attributes);
  }
}
