package dev.sash.redis;

import dev.sash.redis.Connector.Session;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one connection that all limiters of a store share, with a {@link Breaker} for each part of
 * the keys that may fail alone. Commands from all threads go out as they come, without waiting for
 * each other's answers.
 *
 * <p>Lettuce reconnects when a connection breaks. One over which nothing comes any more without
 * being broken (a cable was pulled) would be waited for until TCP gives up, minutes later: when
 * probes are not answered, the link connects anew by itself.
 */
final class Link implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Link.class);
  private static final long CONNECT_PAUSE_MILLIS = 500;
  private static final long DRAIN_MILLIS = 1_000;
  private static final byte[] PROBE = {};
  private static final long PROBE_LIFE_MILLIS = 1_000;
  private static final long PATIENCE_MILLIS = 5_000;
  private static final int WARM_UPS = 25;
  private static final long WARM_UP_PAUSE_MILLIS = 20;
  private static final long WARNING_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Connector connector;
  private final String prefix;
  private final List<Shard> shards;
  private final List<Breaker> breakers;
  private final AtomicLong warnedNanos = new AtomicLong();
  private final AtomicBoolean connecting = new AtomicBoolean();
  private volatile @Nullable Session session;
  private volatile boolean saidUnreachable;
  private volatile boolean closed;

  Link(Connector connector, String prefix) {
    this.connector = connector;
    this.prefix = prefix;
    this.shards = IntStream.range(0, connector.shards()).mapToObj(Shard::new).toList();
    this.breakers = shards.stream().map(Breaker::new).toList();
  }

  /** Begins to connect, until it succeeds, and waits for it that long. */
  void connectWithin(Duration timeout) {
    connecting.set(true);
    try {
      attemptToConnect().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("Redis is not there yet: failure rules decide until it is");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The breaker in front of the server that holds the key. */
  Breaker breakerFor(String redisKey) {
    return breakers.size() == 1 ? breakers.get(0) : breakers.get(shard(redisKey));
  }

  /** Whether every part of the keys can be decided about, as far as is known. */
  boolean isUp() {
    return session != null && breakers.stream().noneMatch(Breaker::isOpen);
  }

  /** Runs a script, which the server may not know yet or any more. */
  CompletableFuture<byte[]> run(Script script, String[] keys, byte[][] args) {
    return Link.<byte[]>attempt(
            () -> commands().evalsha(script.sha1(), ScriptOutputType.VALUE, keys, args))
        .exceptionallyCompose(
            failure ->
                Failures.unwrapped(failure) instanceof RedisNoScriptException
                    ? commands().eval(script.source(), ScriptOutputType.VALUE, keys, args)
                    : CompletableFuture.failedFuture(failure));
  }

  /**
   * Asks for something about which no failure rule can decide.
   *
   * @param what it does, for the message of the {@link RedisStoreException} if it fails
   */
  <T> CompletableFuture<T> ask(
      String what,
      Function<RedisClusterAsyncCommands<String, byte[]>, CompletionStage<T>> command) {
    return attempt(() -> command.apply(commands()))
        .orTimeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedFuture(
                    new RedisStoreException(
                        "could not " + what + ": " + Failures.describe(failure), failure)));
  }

  /** Tells, once in a while, that a key of ours holds what is not ours; which one, is not told. */
  void warnOfForeignState() {
    long now = System.nanoTime();
    long last = warnedNanos.get();
    if ((last == 0 || now - last > WARNING_PAUSE_NANOS) && warnedNanos.compareAndSet(last, now)) {
      LOG.warn(
          "a key in Redis holds something else than Sash has written: its failure rule decides");
    }
  }

  private RedisClusterAsyncCommands<String, byte[]> commands() {
    return session().commands();
  }

  private Session session() {
    Session now = session;
    if (now == null) {
      throw new RedisException("not connected");
    }
    return now;
  }

  @Override
  public void close() {
    closed = true;
    breakers.forEach(Breaker::close);
    connector.shutdown();
  }

  private static int shard(String redisKey) {
    return SlotHash.getSlot(redisKey) / Connector.SLOTS_PER_SHARD;
  }

  private CompletableFuture<Void> attemptToConnect() {
    return attempt(connector::connect)
        .thenCompose(connected -> warmedUp(connected, WARM_UPS))
        .handle(
            (connected, failure) -> {
              if (connected != null) {
                replaceBy(connected);
              } else if (!closed) {
                if (!saidUnreachable) {
                  saidUnreachable = true;
                  LOG.warn("cannot connect to Redis, trying on: {}", Failures.describe(failure));
                }
                CompletableFuture.delayedExecutor(CONNECT_PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                    .execute(
                        () -> {
                          var unused = attemptToConnect();
                        });
              }
              return null;
            });
  }

  /** Starts something that may fail at once or later; either way the future tells. */
  private static <T> CompletableFuture<T> attempt(Supplier<CompletionStage<T>> action) {
    try {
      return action.get().toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * The session, when it can be used: of a cluster, connections to the nodes are made when they are
   * first needed, and until then Lettuce refuses what is sent to them.
   */
  private CompletableFuture<Session> warmedUp(Session connected, int attemptsLeft) {
    if (breakers.size() == 1 || attemptsLeft == 0) {
      return CompletableFuture.completedFuture(connected);
    }
    CompletableFuture<?>[] probes =
        shards.stream()
            .map(shard -> attempt(() -> shard.probe(connected)))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(probes)
        .thenApply(done -> connected)
        .exceptionallyCompose(
            failure ->
                new CompletableFuture<Void>()
                    .completeOnTimeout(null, WARM_UP_PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                    .thenCompose(done -> warmedUp(connected, attemptsLeft - 1)));
  }

  private void replaceBy(Session connected) {
    Session former = session;
    session = connected;
    saidUnreachable = false;
    connecting.set(false);
    if (former != null) {
      // What is under way may still be answered.
      CompletableFuture.delayedExecutor(DRAIN_MILLIS, TimeUnit.MILLISECONDS).execute(former::close);
    }
    if (closed) {
      connected.close();
    }
  }

  /** The part of the keys behind one breaker. */
  private final class Shard implements Breaker.Server {
    private final int index;
    private final String probeKey;

    Shard(int index) {
      this.index = index;
      this.probeKey = probeKey();
    }

    @Override
    public String name() {
      return shards.size() == 1
          ? "Redis"
          : "Redis Cluster (slots %d to %d)"
              .formatted(
                  index * Connector.SLOTS_PER_SHARD, (index + 1) * Connector.SLOTS_PER_SHARD - 1);
    }

    @Override
    public CompletionStage<?> probe() {
      return probe(session());
    }

    CompletionStage<String> probe(Session asked) {
      return asked.commands().set(probeKey, PROBE, SetArgs.Builder.px(PROBE_LIFE_MILLIS));
    }

    @Override
    public void renewConnection() {
      if (connecting.compareAndSet(false, true)) {
        var unused = attemptToConnect();
      }
    }

    private String probeKey() {
      return IntStream.iterate(0, i -> i + 1)
          .mapToObj(i -> prefix + ":probe:" + i)
          .filter(key -> connector.shards() == 1 || shard(key) == index)
          .findFirst()
          .orElseThrow();
    }
  }
}
