package dev.sash.redis;

import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.AlgorithmContract;
import dev.sash.testkit.BadInputContract;
import dev.sash.testkit.LargeNumbersContract;
import dev.sash.testkit.ListenerContract;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.OperationsContract;
import dev.sash.testkit.PolicyChangeContract;
import dev.sash.testkit.SeveralLimitsContract;
import dev.sash.testkit.TimeContract;
import dev.sash.testkit.WaitingContract;
import dev.sash.testkit.WorstCaseContract;
import org.junit.jupiter.api.Nested;

/** The scripts keep the contract. */
class ScriptContractIT {
  @Nested
  class Algorithms extends AlgorithmContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return new ScriptLimiter(policy, clock);
    }
  }

  @Nested
  class Operations extends OperationsContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return new ScriptLimiter(policy, clock);
    }
  }

  @Nested
  class WorstCases extends WorstCaseContract {
    @Override
    protected int attack() {
      return 2_000;
    }

    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return new ScriptLimiter(policy, clock);
    }
  }

  @Nested
  class SeveralLimits extends SeveralLimitsContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return new ScriptLimiter(policy, clock);
    }
  }

  @Nested
  class PolicyChanges extends PolicyChangeContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return new ScriptLimiter(policy, clock);
    }
  }

  @Nested
  class Time extends TimeContract {
    @Override
    protected long latestMicros() {
      return ScriptLimiter.LATEST;
    }

    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return new ScriptLimiter(policy, clock);
    }
  }

  @Nested
  class BadInput extends BadInputContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return new ScriptLimiter(policy, clock);
    }
  }

  @Nested
  class LargeNumbers extends LargeNumbersContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return new ScriptLimiter(policy, clock);
    }
  }

  @Nested
  class Waiting extends WaitingContract {
    @Override
    protected long latestMicros() {
      return ScriptLimiter.LATEST;
    }

    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return new ScriptLimiter(policy, clock);
    }
  }

  @Nested
  class Listeners extends ListenerContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return new ScriptLimiter(policy, clock);
    }
  }
}
