package dev.sash.spring;

import dev.sash.store.Store;

/**
 * Decorates the store of an application, for example with a {@link dev.sash.store.StoreDecorator}.
 * A bean; several apply in their order, the first one closest to the store.
 */
@FunctionalInterface
public interface StoreCustomizer {
  /**
   * Decorates the store.
   *
   * @param store the store
   * @return the store to use instead
   */
  Store customize(Store store);
}
