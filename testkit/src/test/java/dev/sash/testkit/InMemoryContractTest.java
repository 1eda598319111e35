package dev.sash.testkit;

import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import org.junit.jupiter.api.Nested;

/** The in-memory store keeps the contract. */
class InMemoryContractTest {
  private static RateLimiter inMemory(Policy policy, ManualClock clock) {
    return InMemoryStore.builder().clock(clock).build().limiter(policy);
  }

  @Nested
  class Algorithms extends AlgorithmContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return inMemory(policy, clock);
    }
  }

  @Nested
  class Operations extends OperationsContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return inMemory(policy, clock);
    }
  }

  @Nested
  class WorstCases extends WorstCaseContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return inMemory(policy, clock);
    }
  }

  @Nested
  class SeveralLimits extends SeveralLimitsContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return inMemory(policy, clock);
    }
  }

  @Nested
  class PolicyChanges extends PolicyChangeContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return inMemory(policy, clock);
    }
  }

  @Nested
  class Time extends TimeContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return inMemory(policy, clock);
    }
  }

  @Nested
  class BadInput extends BadInputContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return inMemory(policy, clock);
    }
  }

  @Nested
  class LargeNumbers extends LargeNumbersContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return inMemory(policy, clock);
    }
  }

  @Nested
  class Waiting extends WaitingContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return inMemory(policy, clock);
    }
  }

  @Nested
  class Listeners extends ListenerContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return inMemory(policy, clock);
    }
  }
}
