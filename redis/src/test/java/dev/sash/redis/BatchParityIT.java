package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.store.Store;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.Schedule.Conditions;
import dev.sash.testkit.Schedule.Step;
import java.util.List;

/**
 * As {@link ScriptParityIT}, with bursts of requests that are decided in few calls: several keys,
 * sets of limits, operations and numbers of permits in each, and several requests for each key.
 */
class BatchParityIT extends ScriptParityIT {
  @Override
  protected Conditions conditions() {
    return Conditions.ANY.withBursts(20);
  }

  @Override
  protected List<Decision> decide(Store store, ManualClock clock, List<Step> steps) {
    return ((ScriptStore) store).decide(clock, steps, Batch.MAX_REQUESTS);
  }
}
