package dev.sash;

import dev.sash.memory.InMemoryStore;

/** Creates in-memory limiters in one line. */
public final class Sash {
  private Sash() {}

  /**
   * Returns a limiter whose state lives in this process: short for {@code InMemoryStore.create()
   * .limiter(Policy.of("default", limits))}.
   *
   * @param limits at least one; a request must fit under all of them
   * @return the limiter
   */
  public static RateLimiter inMemory(Limit... limits) {
    return inMemory(Policy.of("default", limits));
  }

  /**
   * Returns a limiter whose state lives in this process: short for {@code
   * InMemoryStore.create().limiter(policy)}.
   *
   * @param policy the limits
   * @return the limiter
   */
  public static RateLimiter inMemory(Policy policy) {
    return InMemoryStore.create().limiter(policy);
  }

  /**
   * Returns a limiter without keys, which protects one thing. Its state lives in this process.
   *
   * @param limits at least one; a request must fit under all of them
   * @return the limiter
   */
  public static KeyLimiter single(Limit... limits) {
    return inMemory(limits).forKey("default");
  }
}
