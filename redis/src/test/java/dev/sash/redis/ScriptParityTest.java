package dev.sash.redis;

import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.ParityContract;

/** The scripts decide as the oracle does. */
class ScriptParityTest extends ParityContract {
  @Override
  protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
    return new ScriptLimiter(policy, clock);
  }

  @Override
  protected long decisions() {
    return 200_000;
  }
}
