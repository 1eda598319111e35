package dev.sash.redis;

import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.ManualClock;

/** As {@link ScriptParityTest}, with logs in blocks so small that every log has many. */
class SmallBlocksParityTest extends ScriptParityTest {
  @Override
  protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
    return new ScriptLimiter(policy, clock, "by_hand_in_small_blocks.lua");
  }

  @Override
  protected long decisions() {
    return 100_000;
  }
}
