package dev.sash.redis;

import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.TightnessContract;

/** The scripts keep what they promise, to the tick. */
class ScriptTightnessIT extends TightnessContract {
  @Override
  protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
    return new ScriptLimiter(policy, clock);
  }

  @Override
  protected int cases() {
    return 400;
  }
}
