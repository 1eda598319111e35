package dev.sash.redis;

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
import dev.sash.testkit.WorstCaseContract;
import org.junit.jupiter.api.Nested;

/** The scripts keep the contract. */
class ScriptContractIT {
  @Nested
  class Algorithm extends AlgorithmContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class Operations extends OperationsContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class Charge extends ChargeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class WorstCase extends WorstCaseContract {
    @Override
    protected int attack() {
      return 2_000;
    }

    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class SeveralLimits extends SeveralLimitsContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class Alternation extends AlternationContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class PolicyChange extends PolicyChangeContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class Time extends TimeContract {
    @Override
    protected long latestMicros() {
      return ScriptStore.LATEST;
    }

    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class BadInput extends BadInputContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class LargeNumbers extends LargeNumbersContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class Waiting extends WaitingContract {
    @Override
    protected long latestMicros() {
      return ScriptStore.LATEST;
    }

    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class Listener extends ListenerContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }

  @Nested
  class Async extends AsyncContract {
    @Override
    protected Store newStore(ManualClock clock) {
      return new ScriptStore(clock);
    }
  }
}
