package dev.sash;

import dev.sash.memory.InMemoryLimiter;
import dev.sash.memory.InMemoryStore;

/** Where to begin: limiters in one line. */
public final class Sash {
  private Sash() {}

  /**
   * A limiter whose state lives in this process: short for {@code InMemoryStore.create()
   * .limiter(Policy.of("default", limits))}.
   *
   * @param limits at least one; all of them hold together
   * @return the limiter
   */
  public static InMemoryLimiter inMemory(Limit... limits) {
    return inMemory(Policy.of("default", limits));
  }

  /**
   * A limiter whose state lives in this process: short for {@code
   * InMemoryStore.create().limiter(policy)}.
   *
   * @param policy what is allowed
   * @return the limiter
   */
  public static InMemoryLimiter inMemory(Policy policy) {
    return InMemoryStore.create().limiter(policy);
  }
}
