package dev.sash.testkit;

import dev.sash.store.Store;
import dev.sash.testkit.Schedule.Conditions;

class MapStoreParityTest extends ParityContract {
  @Override
  protected Store newStore(ManualClock clock) {
    return new MapStore(clock);
  }

  @Override
  protected long decisions() {
    return 100_000;
  }

  /** It forgets nothing. */
  @Override
  protected Conditions conditions() {
    return Conditions.ANY;
  }
}
