package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.internal.Punctuality;
import dev.sash.redis.Connector.Session;
import dev.sash.store.StoreException;
import dev.sash.store.StoreException.Reason;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to Redis, as many as there are in one call. While calls are on their way, requests
 * gather; the next call takes all of them, up to the bounds of a {@link Batch}. Nothing waits for a
 * timer: a request that comes alone goes out at once.
 *
 * <p>Requests are sent in the order in which they came. Each server of a cluster has a queue of its
 * own, so that one that is slow does not delay the others.
 */
final class Batcher {
  private static final Logger LOG = LoggerFactory.getLogger(Batcher.class);
  private static final long WARNING_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The most requests that wait for one server, before further ones fail at once. */
  static final int MAX_WAITING = 50_000;

  /**
   * Calls on their way to one server: while Redis works on one of them, the other is being written
   * or read. With one call, either side waits for the other; with more, batches get smaller.
   */
  private static final int CALLS = 2;

  /** Calls on their way to one server where each has one request only. */
  private static final int SINGLE_CALLS = 50_000;

  /** Others no longer wait for a call that is not answered for so long. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How often to look for lost calls, at most. */
  private static final long LOST_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Link link;
  private final KeyNames names;
  private final boolean batching;
  private final boolean bySlot;
  private final @Nullable Executor callbacks;
  private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
  private final AtomicLong warnedNanos = new AtomicLong();

  /**
   * Creates a batcher.
   *
   * @param batching whether calls take several requests
   * @param callbacks completes the requests; null for the I/O thread
   */
  Batcher(Link link, KeyNames names, boolean batching, @Nullable Executor callbacks) {
    this.link = link;
    this.names = names;
    this.batching = batching;
    this.bySlot = batching && link.isCluster();
    this.callbacks = callbacks;
  }

  /** Sends a request as soon as it is its turn. Never throws. */
  void submit(Request request) {
    lane(request).submit(request);
  }

  /** Returns what it says about the server that a request was not answered in time. */
  Reason giveUp(Request request) {
    boolean isOurQueue =
        request.withdraw()
            && lane(request).hasAnsweredWithin((System.nanoTime() - request.createdNanos) / 2);
    return isOurQueue ? Reason.OVERLOADED : Reason.UNAVAILABLE;
  }

  /** To be called when there is a new connection: it is as free as the old one may be stuck. */
  void onNewSession() {
    lanes.values().forEach(Lane::wake);
  }

  private Lane lane(Request request) {
    String server =
        link.isCluster() ? link.serverOf(names.tagged(request.policy, request.key)) : "";
    Lane lane = lanes.get(server);
    return lane == null ? lanes.computeIfAbsent(server, any -> new Lane()) : lane;
  }

  /** A call on its way: in a cluster, one part for each slot. */
  private static final class Call {
    final long sentNanos = System.nanoTime();
    final AtomicInteger unanswered;

    Call(int parts) {
      unanswered = new AtomicInteger(parts);
    }
  }

  /** The requests for one server. */
  private final class Lane {
    private final Queue<Request> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private volatile long answeredNanos = System.nanoTime();

    /** How often sending was asked for since it began; whoever makes 1 of 0 sends. */
    private final AtomicInteger demands = new AtomicInteger();

    /** While a thread that sends for others is stopped, Redis is not to blame. */
    private final Punctuality.Step sending = link.step();

    /** Whether the thread that reads replies was asked to send, and has not begun. */
    private final AtomicBoolean woken = new AtomicBoolean();

    /** The thread that reads replies, and its event loop where the client is ours. */
    private volatile @Nullable Thread thread;

    private volatile @Nullable EventLoop loop;

    /** Calls that others wait for. Added to only while sending. */
    private final Set<Call> calls = ConcurrentHashMap.newKeySet();

    // Used only while sending.
    private @Nullable Session session;
    private long lostCheckNanos = System.nanoTime();

    void submit(Request request) {
      if (size.incrementAndGet() > MAX_WAITING) {
        size.decrementAndGet();
        if (request.withdraw()) {
          fail(
              request,
              new StoreException(
                  Reason.OVERLOADED, "more than " + MAX_WAITING + " requests waiting", null));
        }
        return;
      }
      waiting.add(request);
      wake();
    }

    /**
     * Sends on the thread that reads replies, if its event loop is known: what is written there may
     * overtake what another thread has written before.
     */
    void wake() {
      EventLoop reader = loop;
      if (reader == null || reader.inEventLoop()) {
        drain();
      } else if (woken.compareAndSet(false, true)) {
        try {
          reader.execute(
              () -> {
                woken.set(false);
                drain();
              });
        } catch (RejectedExecutionException e) {
          woken.set(false); // the connection is closed
          drain();
        }
      }
    }

    boolean hasAnsweredWithin(long nanos) {
      return System.nanoTime() - answeredNanos <= nanos;
    }

    /** Sends what waits, as far as calls are free. */
    void drain() {
      if (demands.getAndIncrement() != 0) {
        return; // another thread is sending, and will look again
      }
      long began = sending.begin();
      int seen = 1;
      do {
        Session current = link.session();
        if (!Objects.equals(current, session)) {
          session = current;
          calls.clear();
          thread = null;
          loop = null;
        }
        while (!waiting.isEmpty() && mayCall()) {
          sendSome(current);
          sending.end(began);
          began = sending.begin();
        }
        seen = demands.addAndGet(-seen);
      } while (seen != 0);
      sending.end(began);
    }

    private boolean mayCall() {
      if (calls.size() >= mostCalls()) {
        forgetLostCalls();
      }
      return calls.size() < mostCalls();
    }

    /** Another thread sends only if nothing is on its way: so it is not overtaken. */
    private int mostCalls() {
      if (!batching) {
        return SINGLE_CALLS;
      }
      return Thread.currentThread().equals(thread) ? CALLS : 1;
    }

    /** Lettuce never completes a command that it was given while the connection broke. */
    private void forgetLostCalls() {
      long now = System.nanoTime();
      if (now - lostCheckNanos >= LOST_CHECK_NANOS) {
        lostCheckNanos = now;
        calls.removeIf(call -> now - call.sentNanos >= LOST_NANOS);
      }
    }

    private void sendSome(@Nullable Session on) {
      List<Batch> batches = bySlot ? batchesBySlot() : List.of(batch());
      Call call = new Call(batches.size());
      if (calls.isEmpty()) {
        answeredNanos = call.sentNanos; // nothing was asked before
      }
      calls.add(call);
      if (batches.get(0).isEmpty()) {
        answered(call); // all were withdrawn
        return;
      }
      List<CompletableFuture<byte[]>> replies =
          bySlot
              ? link.runEach(on, batches, names)
              : List.of(link.run(on, batches.get(0).keys(names), batches.get(0).program()));
      for (int i = 0; i < batches.size(); i++) {
        await(replies.get(i), batches.get(i), on, call, true);
      }
    }

    private Batch batch() {
      Batch batch = new Batch();
      while (!batch.isFull()) {
        Request request = poll();
        if (request == null) {
          break;
        }
        batch.add(request);
        if (!batching) {
          break;
        }
      }
      return batch;
    }

    private List<Batch> batchesBySlot() {
      Map<Integer, Batch> batches = new LinkedHashMap<>();
      Batch last = null;
      for (int i = 0; i < Batch.MAX_WORK && (last == null || !last.isFull()); i++) {
        Request request = poll();
        if (request == null) {
          break;
        }
        int slot = Connector.slot(names.tagged(request.policy, request.key));
        last = batches.computeIfAbsent(slot, any -> new Batch());
        last.add(request);
      }
      return batches.isEmpty() ? List.of(new Batch()) : new ArrayList<>(batches.values());
    }

    /** Returns the next request that was not withdrawn. */
    private @Nullable Request poll() {
      while (true) {
        Request request = waiting.poll();
        if (request == null) {
          return null;
        }
        size.decrementAndGet();
        if (request.send()) {
          return request;
        }
      }
    }

    /** Sends what a server refused without doing anything, to whichever server will do it. */
    private void sendAgain(Batch batch, @Nullable Session on, Call call) {
      await(link.run(on, batch.keys(names), batch.program()), batch, on, call, false);
    }

    private void await(
        CompletableFuture<byte[]> replied,
        Batch batch,
        @Nullable Session on,
        Call call,
        boolean isFirst) {
      var unused =
          replied.whenComplete(
              (reply, failure) -> {
                if (failure != null && Failures.isTryAgain(failure) && !batch.hasOneKey()) {
                  // The keys of the slot are on two servers, and nothing was done.
                  List<Batch> parts = batch.split();
                  call.unanswered.addAndGet(parts.size() - 1);
                  parts.forEach(part -> sendAgain(part, on, call));
                  return;
                }
                if (failure != null && isFirst && Failures.isNotForThisServer(failure)) {
                  sendAgain(batch, on, call);
                  return;
                }
                answeredNanos = System.nanoTime();
                if (failure == null && isFirst) {
                  sendOnThisThread();
                }
                answered(call);
                complete(batch, reply, failure);
              });
    }

    /** The server's own replies are read here; those of another, on its thread. */
    private void sendOnThisThread() {
      if (!Thread.currentThread().equals(thread)) {
        thread = Thread.currentThread();
        loop = link.currentLoop();
      }
    }

    /** The next call goes out before anybody is told of this one, so that Redis does not wait. */
    private void answered(Call call) {
      if (call.unanswered.decrementAndGet() == 0) {
        calls.remove(call);
        drain();
      }
    }
  }

  private void complete(Batch batch, byte @Nullable [] reply, @Nullable Throwable failure) {
    if (reply != null) {
      batch.read(reply, this::decide, this::fail);
    } else {
      StoreException thrown =
          failure == null
              ? new StoreException(Reason.UNAVAILABLE, "empty reply", null)
              : Failures.of(failure);
      batch.forEach(request -> fail(request, thrown));
    }
  }

  private void decide(Request request, Decision decision) {
    execute(() -> request.complete(decision));
  }

  private void fail(Request request, StoreException failure) {
    if (failure.reason() == Reason.FOREIGN_STATE) {
      warnOfForeignState();
    }
    execute(() -> request.completeExceptionally(failure));
  }

  private void execute(Runnable completion) {
    if (callbacks != null) {
      try {
        callbacks.execute(completion);
        return;
      } catch (RuntimeException e) {
        // The executor is full, shut down or broken: nobody must wait for it.
      }
    }
    completion.run();
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
}
