package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.store.Operation;
import dev.sash.store.RemoteStore;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.StoreException.Reason;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The script as a store, and nothing else: decisions are dated by the clock of Redis. Deadlines,
 * failure rules and caching are decorators around it.
 */
final class RedisScripts implements RemoteStore {
  /** More sets of limits than anybody configures; beyond, they are prepared for every request. */
  private static final int SETS_KEPT = 1_000;

  private final Link link;
  private final KeyNames names;
  private final Batcher batcher;
  private final MicroClock clock;
  private final Map<List<Limit>, LimitSet> sets = new ConcurrentHashMap<>();

  RedisScripts(Link link, KeyNames names, Batcher batcher, MicroClock clock) {
    this.link = link;
    this.names = names;
    this.batcher = batcher;
    this.clock = clock;
  }

  /** Waits for as long as it takes; in practice a {@code CircuitBreakers} waits. */
  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    try {
      return decideAsync(operation, limits, key, permits).toCompletableFuture().join();
    } catch (CompletionException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    Request request =
        new Request(operation, limits.policy().name(), key, setOf(limits.limits()), permits);
    batcher.submit(request);
    return request;
  }

  @Override
  public Reason giveUp(CompletionStage<Decision> request) {
    return request instanceof Request ours ? batcher.giveUp(ours) : Reason.UNAVAILABLE;
  }

  @Override
  public long lateNanos() {
    return link.lateNanos();
  }

  private LimitSet setOf(List<Limit> limits) {
    LimitSet set = sets.get(limits);
    if (set == null) {
      set = new LimitSet(limits);
      if (sets.size() < SETS_KEPT) {
        LimitSet other = sets.putIfAbsent(set.limits(), set);
        set = other == null ? set : other;
      }
    }
    return set;
  }

  @Override
  public String serverOf(ResolvedLimits limits, String key) {
    return link.isCluster() ? link.serverOf(names.tagged(limits.policy().name(), key)) : "";
  }

  @Override
  public CompletionStage<?> probe(String server) {
    return link.probe(server);
  }

  @Override
  public void reconnect(String server) {
    link.reconnect();
  }

  @Override
  public boolean isUp() {
    return link.isConnected();
  }

  @Override
  public MicroClock clock() {
    return clock;
  }

  @Override
  public void close() {
    link.close();
  }
}
