package dev.sash.testkit;

import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.Sash;

class InMemoryHistoryTest extends HistoryContract {
  @Override
  protected RateLimiter newLimiter(Policy policy) {
    return Sash.inMemory(policy);
  }
}
