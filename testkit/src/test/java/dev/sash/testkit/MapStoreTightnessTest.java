package dev.sash.testkit;

import dev.sash.store.Store;

class MapStoreTightnessTest extends TightnessContract {
  @Override
  protected Store newStore(ManualClock clock) {
    return new MapStore(clock);
  }

  @Override
  protected int cases() {
    return 5_000;
  }
}
