package dev.sash.client;

import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The times until which origins must not be called. Each pause is kept twice: in this process,
 * where it holds whatever happens to the store, and in the store, through which other processes
 * learn of it.
 *
 * <p>In the store, a pause is a debt. A token bucket that refills with one permit per millisecond
 * owes one permit for each millisecond that is left. A pause acquires the permits that are missing
 * to its own length, from the same bucket with a capacity of that length: a longer pause thus
 * replaces a shorter one, a shorter one changes nothing, and pauses that begin at the same time do
 * not add up.
 */
final class Pauses {
  private static final Limit ONE_PER_MILLISECOND =
      Limit.tokenBucket(1_000, Duration.ofSeconds(1)).withCapacity(1);

  private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);

  /** One fails only if another process has changed the same pause in between. */
  private static final int ATTEMPTS = 20;

  private final RateLimiter shared;
  private final MicroClock clock;
  private final String group;
  private final int maxKept;
  private final ConcurrentHashMap<String, Long> endMicros = new ConcurrentHashMap<>();

  /**
   * Creates an empty set of pauses.
   *
   * @param store shares the pauses between processes
   * @param group the name under which they are shared
   * @param maxKept how many pauses this process keeps; further ones are in the store only
   */
  Pauses(Store store, String group, int maxKept) {
    // Without the store, what this process knows by itself decides.
    this.shared =
        store.limiter(
            Policy.internal("outgoing-pauses")
                .withLimit(ONE_PER_MILLISECOND)
                .onFailure(FailureRule.OPEN));
    this.clock = store.clock();
    this.group = group;
    this.maxKept = maxKept;
  }

  /**
   * Returns how long the pause of an origin lasts.
   *
   * @return completes with a number of microseconds, 0 if there is no pause; never exceptionally
   */
  CompletionStage<Long> remainingMicros(String origin) {
    long known = knownMicros(origin);
    if (known > 0) {
      return CompletableFuture.completedFuture(known);
    }
    return shared
        .tryAcquireAsync(keyOf(origin), 0)
        .thenApply(
            decision -> {
              if (!decision.allowed()) {
                var unused = keep(origin, clock.micros() + decision.retryAfterMicros());
              }
              return decision.retryAfterMicros();
            })
        .exceptionally(failure -> 0L);
  }

  /** Returns how long a pause lasts that this process knows of; 0 if it knows of none. */
  long knownMicros(String origin) {
    Long end = endMicros.get(origin);
    if (end == null) {
      return 0;
    }
    long left = end - clock.micros();
    if (left <= 0) {
      endMicros.remove(origin, end);
    }
    return Math.max(0, left);
  }

  /**
   * Makes the pause of an origin at least that long, from now on: at once in this process.
   *
   * @param pause at most 11 days
   * @param onNew called if no pause of the origin was known to this process
   * @return completes when the pause is in the store, or could not be put there
   */
  CompletionStage<Void> extend(String origin, Duration pause, Runnable onNew) {
    long end = clock.micros() + pause.toNanos() / 1_000;
    if (keep(origin, end)) {
      onNew.run();
    }
    return share(keyOf(origin), end, ATTEMPTS).exceptionally(failure -> null);
  }

  /** Returns whether the origin had no pause before. */
  private boolean keep(String origin, long end) {
    long now = clock.micros();
    if (endMicros.size() >= maxKept && !endMicros.containsKey(origin)) {
      endMicros.values().removeIf(micros -> micros <= now);
      if (endMicros.size() >= maxKept) {
        return true;
      }
    }
    boolean[] isNew = new boolean[1];
    endMicros.compute(
        origin,
        (key, present) -> {
          isNew[0] = present == null || present <= now;
          return present == null ? end : Math.max(present, end);
        });
    return isNew[0];
  }

  private CompletionStage<Void> share(String key, long end, int attempts) {
    long left = end - clock.micros();
    if (left <= 0 || attempts == 0) {
      return DONE;
    }
    // One more than the milliseconds that are left: a pause ends when the bucket owes one permit.
    long permits = (left + 999) / 1_000 + 1;
    RateLimiter ofThisLength =
        shared.withLimits(List.of(ONE_PER_MILLISECOND.withCapacity(permits)));
    return ofThisLength
        .tryAcquireAsync(key, 0)
        .thenCompose(
            now -> {
              long missing = permits - now.used();
              return missing <= 0
                  ? DONE
                  : ofThisLength
                      .tryAcquireAsync(key, missing)
                      .thenCompose(
                          decision -> decision.allowed() ? DONE : share(key, end, attempts - 1));
            });
  }

  private String keyOf(String origin) {
    return group + ' ' + origin;
  }
}
