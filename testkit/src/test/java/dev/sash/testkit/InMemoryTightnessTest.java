package dev.sash.testkit;

import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;

class InMemoryTightnessTest extends TightnessContract {
  @Override
  protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
    return InMemoryStore.builder()
        .maxKeys(1_000)
        .clock(InMemoryParityTest.withoutAlarms(clock))
        .build()
        .limiter(policy);
  }
}
