package dev.sash.testkit;

import dev.sash.memory.InMemoryStore;
import dev.sash.store.Store;

class InMemoryHistoryTest extends HistoryContract {
  @Override
  protected Store newStore() {
    return InMemoryStore.create();
  }
}
