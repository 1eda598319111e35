package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.ParityContract;
import dev.sash.testkit.Schedule.Step;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The scripts decide as the oracle does. */
class ScriptParityIT extends ParityContract {
  @Override
  protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
    return new ScriptLimiter(policy, clock);
  }

  @Override
  protected long decisions() {
    return 200_000;
  }

  @Override
  protected int batch() {
    return 500;
  }

  @Override
  protected List<@Nullable Decision> decide(
      RateLimiter limiter, ManualClock clock, List<Step> steps) {
    return ((ScriptLimiter) limiter).decide(clock, steps);
  }
}
