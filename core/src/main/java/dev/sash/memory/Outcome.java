package dev.sash.memory;

/**
 * The numbers of a decision that is being made, so that the decision itself is created in one
 * place: where that is inlined into a caller who only looks at it, the JIT compiler does not create
 * it at all. It holds no references, whose writing the garbage collector would have to notice.
 */
final class Outcome {
  long used;
  long remaining;

  /** 0 if allowed. */
  long retryAfter;

  long resetAfter;

  void set(long newUsed, long newRemaining, long newRetryAfter, long newResetAfter) {
    used = newUsed;
    remaining = newRemaining;
    retryAfter = newRetryAfter;
    resetAfter = newResetAfter;
  }
}
