package dev.sash.server.rls.counter;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.server.rls.wire.RlsStatus.CurrentLimit;
import dev.sash.server.statistics.Statistics;
import dev.sash.store.Decisions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A limit of 0 requests: denies all, and has nothing to count.
 *
 * @param policy under whose name
 * @param currentLimit the limit
 * @param shadow whether requests are admitted all the same
 * @param key the key of the request
 * @param statistics records denials; null if nothing does
 */
record NothingAllowed(
    String policy,
    CurrentLimit currentLimit,
    boolean shadow,
    String key,
    @Nullable Statistics statistics)
    implements Counter {
  private static final Limit LEAST = Limit.fixedWindow(1, Duration.ofSeconds(1));
  private static final Decision NEVER = Decisions.neverAllowed(LEAST, 0, 0, 0, Source.STORE);

  @Override
  public CompletionStage<Decision> tryAcquire(long permits) {
    if (statistics != null && permits > 0) {
      statistics.recordListed(policy, shadow, key, permits, NEVER);
    }
    return CompletableFuture.completedStage(NEVER);
  }

  @Override
  public CompletionStage<Decision> charge(long permits) {
    return tryAcquire(permits);
  }

  @Override
  public CompletionStage<Decision> refund(long permits, @Nullable Decision charged) {
    return tryAcquire(0);
  }

  @Override
  public CurrentLimit limit(Decision decision) {
    return currentLimit;
  }
}
