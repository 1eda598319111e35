package dev.sash.testkit;

import dev.sash.memory.InMemoryStore;
import dev.sash.store.Store;

class InMemoryTightnessTest extends TightnessContract {
  @Override
  protected Store newStore(ManualClock clock) {
    return InMemoryStore.builder()
        .maxKeys(1_000)
        .clock(InMemoryParityTest.withoutAlarms(clock))
        .build();
  }
}
