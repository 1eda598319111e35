package dev.sash.cli;

import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;

/**
 * A limit with a name to show.
 *
 * @param name at most {@value Report#NAME_COLUMNS} characters
 * @param limit what is allowed, and how it is counted
 */
record Contender(String name, Limit limit) {
  RateLimiter limiter(MicroClock clock) {
    return InMemoryStore.builder().clock(clock).build().limiter(Policy.of("demo", limit));
  }
}
