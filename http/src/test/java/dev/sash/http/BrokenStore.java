package dev.sash.http;

import dev.sash.Decision;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import java.util.function.BooleanSupplier;

/** Stores that fail. */
final class BrokenStore {
  private BrokenStore() {}

  /** Returns a store that fails as long as the condition is true. */
  static Store when(Store store, BooleanSupplier isBroken) {
    return new StoreDecorator(store) {
      @Override
      public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
        if (isBroken.getAsBoolean()) {
          throw new IllegalStateException("broken on purpose");
        }
        return store.decide(operation, limits, key, permits);
      }
    };
  }
}
