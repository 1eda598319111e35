package dev.sash.micrometer;

import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
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
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Nested;

/** An instrumented limiter keeps the contract as it would without instruments. */
class InstrumentedContractTest {
  private static final SashMeters METERS =
      new SashMeters(new SimpleMeterRegistry(), new Observations().registry());

  private static RateLimiter instrumented(Policy policy, ManualClock clock) {
    return METERS.instrument(InMemoryStore.builder().clock(clock).build().limiter(policy));
  }

  @Nested
  class Algorithms extends AlgorithmContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return instrumented(policy, clock);
    }
  }

  @Nested
  class Operations extends OperationsContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return instrumented(policy, clock);
    }
  }

  @Nested
  class SeveralLimits extends SeveralLimitsContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return instrumented(policy, clock);
    }
  }

  @Nested
  class PolicyChanges extends PolicyChangeContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return instrumented(policy, clock);
    }
  }

  @Nested
  class Time extends TimeContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return instrumented(policy, clock);
    }
  }

  @Nested
  class BadInput extends BadInputContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return instrumented(policy, clock);
    }
  }

  @Nested
  class LargeNumbers extends LargeNumbersContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return instrumented(policy, clock);
    }
  }

  @Nested
  class Waiting extends WaitingContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return instrumented(policy, clock);
    }
  }

  @Nested
  class Listeners extends ListenerContract {
    @Override
    protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
      return instrumented(policy, clock);
    }
  }
}
