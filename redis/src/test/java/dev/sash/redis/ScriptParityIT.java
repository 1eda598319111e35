package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.store.Store;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.ParityContract;
import dev.sash.testkit.Schedule.Conditions;
import dev.sash.testkit.Schedule.Step;
import java.util.List;

/** The scripts decide as the oracle does. */
class ScriptParityIT extends ParityContract {
  @Override
  protected Store newStore(ManualClock clock) {
    return new ScriptStore(clock);
  }

  @Override
  protected long decisions() {
    return 200_000;
  }

  /** The test's Redis forgets nothing by itself. */
  @Override
  protected Conditions conditions() {
    return Conditions.ANY;
  }

  @Override
  protected int batch() {
    return 500;
  }

  @Override
  protected List<Decision> decide(Store store, ManualClock clock, List<Step> steps) {
    return ((ScriptStore) store).decide(clock, steps);
  }
}
