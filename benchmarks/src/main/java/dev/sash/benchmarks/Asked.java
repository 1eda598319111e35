package dev.sash.benchmarks;

/** The question that every contender answers: may this key spend a permit now? */
public interface Asked {
  /** Spends a permit of the key, if it has one. */
  boolean tryAcquire(String key);
}
