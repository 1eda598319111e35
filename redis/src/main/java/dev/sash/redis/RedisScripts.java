package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.store.Decisions;
import dev.sash.store.Operation;
import dev.sash.store.RemoteStore;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.StoreException;
import dev.sash.store.StoreException.Reason;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scripts as a store, and nothing else: one call of Redis per decision, dated by its clock.
 * Deadlines, failure rules and caching are decorators around it.
 */
final class RedisScripts implements RemoteStore {
  private static final Logger LOG = LoggerFactory.getLogger(RedisScripts.class);
  private static final long WARNING_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** More sets of limits than anybody configures; beyond, scripts are prepared per request. */
  private static final int SCRIPTS_KEPT = 1_000;

  private final Link link;
  private final KeyNames names;
  private final MicroClock clock;
  private final @Nullable Executor callbacks;
  private final Map<List<Limit>, LimitScript> scripts = new ConcurrentHashMap<>();
  private final AtomicLong warnedNanos = new AtomicLong();

  /**
   * Creates a store.
   *
   * @param callbacks runs what depends on a decision; null for the I/O thread
   */
  RedisScripts(Link link, KeyNames names, MicroClock clock, @Nullable Executor callbacks) {
    this.link = link;
    this.names = names;
    this.clock = clock;
    this.callbacks = callbacks;
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
    LimitScript script = scriptOf(limits.limits());
    String[] keys = names.of(limits.policy().name(), key, script.limits());
    return switch (operation) {
      case ACQUIRE ->
          call(script, keys, script.acquire(permits), reply -> script.decision(permits, reply));
      case PEEK, REFUND_LOCAL ->
          call(script, keys, script.acquire(0), reply -> script.decision(0, reply));
      case REFUND -> call(script, keys, script.refund(permits), reply -> script.decision(0, reply));
      case CHARGE -> call(script, keys, script.charge(permits), reply -> script.decision(0, reply));
      case INSPECT -> call(script, keys, script.inspect(), script::inspected);
      case RESET -> reset(limits, keys);
    };
  }

  /** What a reply means. */
  private interface Meaning {
    Decision of(byte[] reply);
  }

  private CompletableFuture<Decision> call(
      LimitScript script, String[] keys, byte[][] arguments, Meaning meaning) {
    CompletableFuture<byte[]> reply = link.run(script.script(), keys, arguments);
    return callbacks == null
        ? reply.handle((bytes, failure) -> decision(bytes, failure, meaning))
        : reply.handleAsync((bytes, failure) -> decision(bytes, failure, meaning), callbacks);
  }

  private Decision decision(byte @Nullable [] reply, @Nullable Throwable failure, Meaning meaning) {
    if (reply != null) {
      try {
        return meaning.of(reply);
      } catch (IllegalArgumentException e) {
        throw new StoreException(
            Reason.UNAVAILABLE, "unexpected reply of " + reply.length + " bytes", e);
      }
    }
    if (failure == null) {
      throw new StoreException(Reason.UNAVAILABLE, "empty reply", null);
    }
    StoreException thrown = Failures.of(failure);
    if (thrown.reason() == Reason.FOREIGN_STATE) {
      warnOfForeignState();
    }
    throw thrown;
  }

  /** Once in a while, and without the key, which may be personal data. */
  private void warnOfForeignState() {
    long now = System.nanoTime();
    long last = warnedNanos.get();
    if ((last == 0 || now - last > WARNING_PAUSE_NANOS) && warnedNanos.compareAndSet(last, now)) {
      LOG.warn(
          "A key in Redis holds a value that Sash did not write: decisions about it use the"
              + " failure rule");
    }
  }

  private CompletionStage<Decision> reset(ResolvedLimits limits, String[] keys) {
    Limit lowest = limits.lowest();
    return link.ask("reset a key", commands -> commands.unlink(keys))
        .thenApply(count -> Decisions.allowed(lowest, 0, lowest.capacity(), 0, Source.STORE));
  }

  private LimitScript scriptOf(List<Limit> limits) {
    LimitScript script = scripts.get(limits);
    if (script == null) {
      script = new LimitScript(limits);
      if (scripts.size() < SCRIPTS_KEPT) {
        scripts.put(script.limits(), script);
      }
    }
    return script;
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
