package dev.sash.redis;

import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.ManualClock;

/** As {@link ScriptParityIT}, with logs in blocks so small that every log has many. */
class SmallBlocksParityIT extends ScriptParityIT {
  @Override
  protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
    return new ScriptLimiter(policy, clock, "by_hand_in_small_blocks.lua");
  }

  @Override
  protected long decisions() {
    return 100_000;
  }
}
