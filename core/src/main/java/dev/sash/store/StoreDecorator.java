package dev.sash.store;

import dev.sash.MicroClock;
import java.util.Objects;

/**
 * A store around another one. Forwards everything but decisions: a decorator implements {@link
 * #decide} and {@link #decideAsync}.
 */
public abstract class StoreDecorator implements Store {
  /** The decorated store. */
  protected final Store store;

  /**
   * Creates a decorator.
   *
   * @param store the store to decorate; closed with this one
   */
  protected StoreDecorator(Store store) {
    this.store = Objects.requireNonNull(store, "store must not be null");
  }

  @Override
  public MicroClock clock() {
    return store.clock();
  }

  @Override
  public boolean isUp() {
    return store.isUp();
  }

  @Override
  public void close() {
    store.close();
  }
}
