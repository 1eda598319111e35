package dev.sash.testkit;

import dev.sash.store.Store;
import org.junit.jupiter.api.Nested;

/** The oracle obeys the contract that it is the model of. */
class OracleContractTest {
  @Nested
  class Algorithms extends AlgorithmContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class Operations extends OperationsContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class Charges extends ChargeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class WorstCases extends WorstCaseContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class SeveralLimits extends SeveralLimitsContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class Alternation extends AlternationContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class PolicyChanges extends PolicyChangeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class Time extends TimeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class BadInput extends BadInputContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class LargeNumbers extends LargeNumbersContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class Waiting extends WaitingContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class Listeners extends ListenerContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }

  @Nested
  class Asynchronous extends AsyncContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new Oracle(clock);
    }
  }
}
