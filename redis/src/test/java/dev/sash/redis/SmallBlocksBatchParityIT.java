package dev.sash.redis;

import dev.sash.store.Store;
import dev.sash.testkit.ManualClock;

/** As {@link BatchParityIT}, with logs in blocks so small that every log has many. */
class SmallBlocksBatchParityIT extends BatchParityIT {
  @Override
  protected Store newStore(ManualClock clock) {
    return new ScriptStore(clock, "by_hand_in_small_blocks");
  }

  @Override
  protected long decisions() {
    return 100_000;
  }
}
