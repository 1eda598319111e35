package dev.sash.testkit;

import dev.sash.memory.InMemoryStore;
import dev.sash.store.Store;
import org.junit.jupiter.api.Nested;

/** The in-memory store obeys the contract. */
class InMemoryContractTest {
  @Nested
  class Algorithms extends AlgorithmContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class Operations extends OperationsContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class Charges extends ChargeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class WorstCases extends WorstCaseContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class SeveralLimits extends SeveralLimitsContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class Alternation extends AlternationContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class PolicyChanges extends PolicyChangeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class Time extends TimeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class BadInput extends BadInputContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class LargeNumbers extends LargeNumbersContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class Waiting extends WaitingContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class Listeners extends ListenerContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class Asynchronous extends AsyncContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  @Nested
  class AtCapacity extends AtCapacityContract {
    @Override
    protected Store newStore(ManualClock clock, int maxKeys) {
      return InMemoryStore.builder().clock(clock).maxKeys(maxKeys).build();
    }
  }
}
