package dev.sash.micrometer;

import dev.sash.memory.InMemoryStore;
import dev.sash.store.Store;
import dev.sash.testkit.AlgorithmContract;
import dev.sash.testkit.AlternationContract;
import dev.sash.testkit.AsyncContract;
import dev.sash.testkit.BadInputContract;
import dev.sash.testkit.ChargeContract;
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

/** An instrumented store obeys the contract like the store itself. */
class InstrumentedContractTest {
  private static final SashMeters METERS =
      new SashMeters(new SimpleMeterRegistry(), new Observations().registry());

  private static Store instrumented(ManualClock clock) {
    return METERS.instrument(InMemoryStore.builder().clock(clock).build());
  }

  @Nested
  class Algorithms extends AlgorithmContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }

  @Nested
  class Operations extends OperationsContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }

  @Nested
  class Charges extends ChargeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }

  @Nested
  class SeveralLimits extends SeveralLimitsContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }

  @Nested
  class Alternation extends AlternationContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }

  @Nested
  class PolicyChanges extends PolicyChangeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }

  @Nested
  class Time extends TimeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }

  @Nested
  class BadInput extends BadInputContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }

  @Nested
  class LargeNumbers extends LargeNumbersContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }

  @Nested
  class Waiting extends WaitingContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }

  @Nested
  class Listeners extends ListenerContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }

  @Nested
  class Async extends AsyncContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return instrumented(clock);
    }
  }
}
