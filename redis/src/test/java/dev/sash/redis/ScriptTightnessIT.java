package dev.sash.redis;

import dev.sash.store.Store;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.TightnessContract;

/** The waits that the scripts report are exact, to the tick. */
class ScriptTightnessIT extends TightnessContract {
  @Override
  protected Store newStore(ManualClock clock) {
    return new ScriptStore(clock);
  }

  @Override
  protected int cases() {
    return 400;
  }
}
