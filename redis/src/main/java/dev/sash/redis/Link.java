package dev.sash.redis;

import dev.sash.internal.Timer;
import dev.sash.redis.Connector.Session;
import dev.sash.store.StoreException;
import dev.sash.store.StoreException.Reason;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one connection that all limiters of a store share. Commands from all threads go out as they
 * come, without waiting for each other's replies, up to a bound.
 *
 * <p>Lettuce reconnects when a connection breaks. A connection that is silent without being broken,
 * or whose server is no longer the master, it would keep for as long as it lives: {@link
 * #reconnect} connects anew and asks Sentinel or the cluster again.
 */
final class Link implements AutoCloseable {
  /**
   * The most calls in flight. Beyond, this process is too fast for the connection: calls fail at
   * once, and that says nothing about Redis.
   */
  static final int MAX_IN_FLIGHT = 50_000;

  private static final Logger LOG = LoggerFactory.getLogger(Link.class);
  private static final long CONNECT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int WARM_UPS = 25;
  private static final long WARM_UP_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Connecting to a whole cluster again for the sake of one server is not done more often. */
  private static final long CLUSTER_RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final Connector connector;
  private final Probe probe;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicBoolean connecting = new AtomicBoolean();
  private volatile @Nullable Session session;
  private volatile long connectedNanos;
  private volatile boolean warnedUnreachable;
  private volatile boolean closed;

  Link(Connector connector, Probe probe) {
    this.connector = connector;
    this.probe = probe;
  }

  /** Begins to connect, until it succeeds, and waits for it that long. */
  void connectWithin(Duration timeout) {
    connecting.set(true);
    try {
      attemptToConnect().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("Redis is unavailable: decisions use the failure rule until it responds");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the server that holds a Redis key. */
  String serverOf(String redisKey) {
    return connector.isCluster() ? connector.serverOf(Connector.slot(redisKey)) : "";
  }

  boolean isCluster() {
    return connector.isCluster();
  }

  boolean isConnected() {
    return session != null;
  }

  /** Runs a script, which the server may not know yet or any more. Never throws. */
  CompletableFuture<byte[]> run(Script script, String[] keys, byte[][] args) {
    if (inFlight.incrementAndGet() > MAX_IN_FLIGHT) {
      inFlight.decrementAndGet();
      return CompletableFuture.failedFuture(
          new StoreException(
              Reason.OVERLOADED, "more than " + MAX_IN_FLIGHT + " calls in flight", null));
    }
    return runOn(session, script, keys, args)
        .whenComplete((reply, failure) -> inFlight.decrementAndGet());
  }

  private static CompletableFuture<byte[]> runOn(
      @Nullable Session session, Script script, String[] keys, byte[][] args) {
    return Link.<byte[]>attempt(
            () ->
                connected(session)
                    .commands()
                    .evalsha(script.sha1(), ScriptOutputType.VALUE, keys, args))
        .exceptionallyCompose(
            failure ->
                Failures.unwrapped(failure) instanceof RedisNoScriptException
                    ? connected(session)
                        .commands()
                        .eval(script.source(), ScriptOutputType.VALUE, keys, args)
                    : CompletableFuture.failedFuture(failure));
  }

  private static Session connected(@Nullable Session session) {
    if (session == null) {
      throw new RedisException("not connected");
    }
    return session;
  }

  /**
   * Asks for something that no failure rule can decide.
   *
   * @param what it does, for the message of the {@link StoreException} if it fails
   */
  <T> CompletableFuture<T> ask(
      String what,
      Function<RedisClusterAsyncCommands<String, byte[]>, CompletionStage<T>> command) {
    CompletableFuture<T> answer =
        attempt(() -> command.apply(connected(session).commands())).thenApply(reply -> reply);
    Timer.failAfter(answer, PATIENCE_NANOS);
    return answer.exceptionallyCompose(
        failure ->
            CompletableFuture.failedFuture(
                new StoreException(
                    Reason.UNAVAILABLE,
                    "could not " + what + ": " + Failures.describe(failure),
                    failure)));
  }

  /** Makes a decision that charges nobody, on a server. Never throws. */
  CompletionStage<?> probe(String server) {
    return probe(session, server);
  }

  private CompletableFuture<byte[]> probe(@Nullable Session asked, String server) {
    return runOn(asked, probe.script(), probe.keys(keyOn(server)), probe.arguments());
  }

  /** Returns a number for which the probe's keys lie on that server. */
  private int keyOn(String server) {
    return IntStream.range(0, SlotHash.SLOT_COUNT)
        .filter(i -> serverOf(probe.keys(i)[0]).equals(server))
        .findFirst()
        .orElse(0); // the server has lost its slots: whatever answers now, decides
  }

  /** Connects anew in the background, and replaces the connection when that has succeeded. */
  void reconnect() {
    boolean isTooSoon =
        connector.isCluster() && System.nanoTime() - connectedNanos < CLUSTER_RECONNECT_NANOS;
    if (!isTooSoon && connecting.compareAndSet(false, true)) {
      var unused = attemptToConnect();
    }
  }

  @Override
  public void close() {
    closed = true;
    Session last = session;
    if (last != null && !(connector instanceof Connector.Given)) {
      last.close();
    }
    connector.shutdown();
  }

  private CompletableFuture<Void> attemptToConnect() {
    return attempt(connector::connect)
        .thenCompose(connected -> warmedUp(connected, WARM_UPS))
        .handle(
            (connected, failure) -> {
              if (connected != null) {
                replaceBy(connected);
              } else if (!closed) {
                if (!warnedUnreachable) {
                  warnedUnreachable = true;
                  LOG.warn("Cannot connect to Redis, retrying: {}", Failures.describe(failure));
                }
                var unused =
                    Timer.after(
                        CONNECT_PAUSE_NANOS,
                        () -> {
                          var ignored = attemptToConnect();
                        });
              }
              return null;
            });
  }

  /** Starts something that may fail at once or later; either way the future reports it. */
  private static <T> CompletableFuture<T> attempt(Supplier<CompletionStage<T>> action) {
    try {
      return action.get().toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Returns the session when it can be used: connections to the servers of a cluster are made when
   * they are first needed, and until then Lettuce refuses what is sent to them.
   */
  private CompletableFuture<Session> warmedUp(Session connected, int attemptsLeft) {
    if (!connector.isCluster() || attemptsLeft == 0) {
      return CompletableFuture.completedFuture(connected);
    }
    CompletableFuture<?>[] probes =
        IntStream.range(0, SlotHash.SLOT_COUNT)
            .mapToObj(connector::serverOf)
            .distinct()
            .map(server -> probe(connected, server))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(probes)
        .thenApply(done -> connected)
        .exceptionallyCompose(
            failure -> {
              CompletableFuture<Void> pause = new CompletableFuture<>();
              var unused = Timer.after(WARM_UP_PAUSE_NANOS, () -> pause.complete(null));
              return pause.thenCompose(done -> warmedUp(connected, attemptsLeft - 1));
            });
  }

  private void replaceBy(Session connected) {
    Session former = session;
    session = connected;
    connectedNanos = System.nanoTime();
    warnedUnreachable = false;
    connecting.set(false);
    if (former != null && !former.equals(connected)) {
      var unused = Timer.after(DRAIN_NANOS, former::close); // replies may still be on their way
    }
    if (closed && !(connector instanceof Connector.Given)) {
      connected.close();
    }
  }
}
