package dev.sash.testkit;

import dev.sash.store.Store;
import org.junit.jupiter.api.Nested;

/** A store that is not part of Sash can be tested with the test kit. */
class MapStoreContractTest {
  @Nested
  class Algorithms extends AlgorithmContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class Operations extends OperationsContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class Charges extends ChargeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class WorstCases extends WorstCaseContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class SeveralLimits extends SeveralLimitsContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class Alternation extends AlternationContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class PolicyChanges extends PolicyChangeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class Time extends TimeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class BadInput extends BadInputContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class LargeNumbers extends LargeNumbersContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class Waiting extends WaitingContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class Listeners extends ListenerContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }

  @Nested
  class Asynchronous extends AsyncContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new MapStore(clock);
    }
  }
}
