package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.internal.Punctuality;
import dev.sash.internal.Timer;
import dev.sash.redis.Connector.Session;
import dev.sash.store.StoreException;
import dev.sash.store.StoreException.Reason;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
  private static final Logger LOG = LoggerFactory.getLogger(Link.class);
  private static final long CONNECT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long MAX_LATE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int WARM_UPS = 25;

  /** For how long after the first connection this process may still be loading its code. */
  private static final long COLD_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Whether a store of this process has connected before, and so loaded the code. */
  private static final AtomicBoolean WARM = new AtomicBoolean();

  private static final long WARM_UP_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Connecting to a whole cluster again for the sake of one server is not done more often. */
  private static final long CLUSTER_RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final Connector connector;
  private final Probe probe;
  private final Punctuality punctuality = new Punctuality();
  private final Set<EventLoop> loops = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean connecting = new AtomicBoolean();
  private volatile @Nullable Session session;
  private volatile long connectedNanos;
  private volatile boolean warnedUnreachable;
  private volatile boolean closed;
  private volatile Runnable onNewSession = () -> {};

  Link(Connector connector, Probe probe) {
    this.connector = connector;
    this.probe = probe;
    punctuality.watch(
        (nanos, task) -> {
          var unused = Timer.after(nanos, task);
        });
    connector.onEventLoop(
        loop -> {
          loops.add(loop);
          punctuality.watch(
              (nanos, task) -> {
                var unused = loop.schedule(task, nanos, TimeUnit.NANOSECONDS);
              });
        });
  }

  /** Sets what to do when there is a new connection. */
  void onNewSession(Runnable action) {
    onNewSession = action;
  }

  /** Begins to connect, until it succeeds, and waits for it that long. */
  void connectWithin(Duration timeout) {
    connecting.set(true);
    long lateBefore = punctuality.lateNanos();
    CompletableFuture<Void> attempt = attemptToConnect();
    long left = timeout.toNanos();
    try {
      while (left > 0) {
        long begin = System.nanoTime();
        try {
          attempt.get(left, TimeUnit.NANOSECONDS);
          return;
        } catch (TimeoutException e) {
          // A process that has just started is often late itself.
          long late = punctuality.lateNanos();
          left += Math.min(late - lateBefore, MAX_LATE_NANOS) - (System.nanoTime() - begin);
          lateBefore = late;
        }
      }
      LOG.warn("Redis is unavailable: decisions use the failure rule until it responds");
    } catch (ExecutionException e) {
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

  /** Returns the connection to use now; null if there is none. */
  @Nullable Session session() {
    return session;
  }

  /**
   * Returns the event loop that runs the calling thread; null if it is another thread, or unknown.
   */
  @Nullable EventLoop currentLoop() {
    for (EventLoop loop : loops) {
      if (loop.inEventLoop()) {
        return loop;
      }
    }
    return null;
  }

  /** Returns for how long this process could not handle replies, so far. */
  long lateNanos() {
    return punctuality.lateNanos();
  }

  /** Returns a step without which no request is answered: see {@link #lateNanos}. */
  Punctuality.Step step() {
    return punctuality.step();
  }

  /** Runs the script, which the server may not know any more. Never throws. */
  CompletableFuture<byte[]> run(@Nullable Session on, String[] keys, byte[] program) {
    return Link.<byte[]>attempt(
            () ->
                connected(on)
                    .commands()
                    .evalsha(Script.DECIDE.sha1(), ScriptOutputType.VALUE, keys, program))
        .exceptionallyCompose(
            failure ->
                Failures.unwrapped(failure) instanceof RedisNoScriptException
                    ? connected(on)
                        .commands()
                        .eval(Script.DECIDE.source(), ScriptOutputType.VALUE, keys, program)
                    : CompletableFuture.failedFuture(failure));
  }

  /**
   * Runs the script for each batch, all that are for one server of a cluster in one write: Lettuce
   * would write each call by itself. A call may fail because it is {@linkplain
   * Failures#isNotForThisServer not for this server}; nothing was done then, and {@link #run} finds
   * the right one. Never throws.
   *
   * @param batches not empty, each with the keys of one slot
   * @return the reply to each
   */
  List<CompletableFuture<byte[]>> runEach(
      @Nullable Session on, List<Batch> batches, KeyNames names) {
    Map<RedisClusterNode, Write> writes = new LinkedHashMap<>();
    List<CompletableFuture<byte[]>> replies = new ArrayList<>(batches.size());
    for (Batch batch : batches) {
      String[] keys = batch.keys(names);
      byte[] program = batch.program();
      Write write = on == null ? null : writeTo(on, keys[0], writes);
      replies.add(write == null ? run(on, keys, program) : write.add(keys, program));
    }
    writes.values().forEach(Write::send);
    return replies;
  }

  /** Returns the write for the server that holds a Redis key; null if it is not connected. */
  private static @Nullable Write writeTo(
      Session on, String redisKey, Map<RedisClusterNode, Write> writes) {
    RedisClusterNode node = on.nodeOf(redisKey);
    Write write = node == null ? null : writes.get(node);
    if (node == null || write != null) {
      return write;
    }
    StatefulConnection<String, byte[]> connection = on.connectionTo(node);
    if (connection == null) {
      return null;
    }
    Write created = new Write(connection);
    writes.put(node, created);
    return created;
  }

  /** Calls of the script that go to one server of a cluster together. */
  private static final class Write {
    private final StatefulConnection<String, byte[]> connection;
    private final List<AsyncCommand<String, byte[], byte[]>> commands = new ArrayList<>();

    Write(StatefulConnection<String, byte[]> connection) {
      this.connection = connection;
    }

    CompletableFuture<byte[]> add(String[] keys, byte[] program) {
      CommandArgs<String, byte[]> args =
          new CommandArgs<>(Connector.CODEC)
              .add(Script.DECIDE.sha1())
              .add(keys.length)
              .addKeys(keys)
              .addValue(program);
      AsyncCommand<String, byte[], byte[]> command =
          new AsyncCommand<>(
              new Command<>(CommandType.EVALSHA, new ByteArrayOutput<>(Connector.CODEC), args));
      commands.add(command);
      return command;
    }

    void send() {
      try {
        connection.dispatch(commands);
      } catch (RuntimeException e) {
        commands.forEach(command -> command.completeExceptionally(e));
      }
    }
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

  private CompletableFuture<Decision> probe(@Nullable Session asked, String server) {
    return probe
        .run(keyOn(server), (keys, program) -> run(asked, keys, program))
        .toCompletableFuture();
  }

  /** Returns a number for which the probe's keys lie on that server. */
  private int keyOn(String server) {
    return IntStream.range(0, SlotHash.SLOT_COUNT)
        .filter(i -> serverOf(probe.tagged(i)).equals(server))
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
    connector.shutdown(session);
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
   * Returns the session when it has decided once on every server, so that nobody waits for scripts
   * to be loaded. Connections to the servers of a cluster are made when they are first needed, and
   * until then Lettuce refuses what is sent to them.
   */
  private CompletableFuture<Session> warmedUp(Session connected, int attemptsLeft) {
    if (attemptsLeft == 0) {
      return CompletableFuture.completedFuture(connected);
    }
    CompletableFuture<?>[] probes =
        servers().map(server -> probe(connected, server)).toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(probes)
        .thenApply(done -> connected)
        .exceptionallyCompose(
            failure -> {
              CompletableFuture<Void> pause = new CompletableFuture<>();
              var unused = Timer.after(WARM_UP_PAUSE_NANOS, () -> pause.complete(null));
              return pause.thenCompose(done -> warmedUp(connected, attemptsLeft - 1));
            });
  }

  private Stream<String> servers() {
    return connector.isCluster()
        ? IntStream.range(0, SlotHash.SLOT_COUNT).mapToObj(connector::serverOf).distinct()
        : Stream.of("");
  }

  private void replaceBy(Session connected) {
    Session former = session;
    if (WARM.compareAndSet(false, true)) {
      punctuality.catchUp(COLD_NANOS);
    }
    if (former == null) {
      connector.onFirstConnection();
    }
    session = connected;
    connectedNanos = System.nanoTime();
    warnedUnreachable = false;
    connecting.set(false);
    if (former != null && !former.equals(connected)) {
      var unused = Timer.after(DRAIN_NANOS, former::close); // replies may still be on their way
    }
    if (closed) {
      connector.shutdown(connected);
    }
    onNewSession.run();
  }
}
