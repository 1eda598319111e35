package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.KeyHandle;
import dev.sash.store.Store;
import dev.sash.testkit.Schedule.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Handles of the in-memory store, mixed with requests that look their key up. */
class InMemoryHandleParityTest extends ParityContract {
  private final Map<String, KeyHandle> handles = new HashMap<>();

  @Override
  protected Store newStore(ManualClock clock) {
    handles.clear();
    return InMemoryStore.builder()
        .clock(InMemoryParityTest.withoutAlarms(clock))
        .maxKeys(1_000)
        .build();
  }

  @Override
  protected long decisions() {
    return 200_000;
  }

  @Override
  protected List<Decision> decide(Store store, ManualClock clock, List<Step> steps) {
    List<Decision> decisions = new ArrayList<>();
    for (Step step : steps) {
      clock.setMicros(step.clockMicros());
      KeyHandle handle =
          handles.computeIfAbsent(
              step.key(), key -> store.handle(step.limits().policy().name(), key));
      decisions.add(
          step.number() % 3 == 0
              ? step.on(store)
              : handle.decide(step.operation(), step.limits(), step.permits()));
    }
    return decisions;
  }
}
