package dev.sash.server.resp.command;

import dev.sash.server.net.ByteBudget;
import dev.sash.server.resp.codec.ProtocolException;
import dev.sash.server.resp.codec.ReplyWriter;
import dev.sash.server.resp.codec.Request;
import dev.sash.server.resp.codec.RespParser;
import dev.sash.server.resp.codec.Wire;
import dev.sash.server.resp.command.Command.InTransaction;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client and the replies to them, in the order of the requests, also if
 * decisions come later.
 *
 * <p>Replies that are known at once are collected, and sent when all input has been processed. If a
 * reply waits for its decision, it and those after it are queued. If too many wait, or the client
 * does not read its replies, no more input is read.
 *
 * <p>Not thread-safe: everything happens on the thread that starts the conversation, except that
 * decisions may arrive on others.
 */
public final class Conversation {
  private static final int SEND_AT = 64 * 1024;
  private static final int LINGER_SECONDS = 2;

  /** The bounds before a client has authenticated. */
  private static final RespParser.Bounds LOCKED = new RespParser.Bounds(1024, 16, 4096);

  private final Wire wire;
  private final Session session;
  private final CommandTable commands;
  private final ConversationBounds bounds;
  private final RespParser parser;
  private final ByteBudget.Share unfinished;
  private final ReplyWriter out = new ReplyWriter();
  private final Queue<Slot> queue = new ArrayDeque<>();
  private final Thread thread = Thread.currentThread();
  private final Runnable decided = this::decided;
  private final AtomicBoolean woken = new AtomicBoolean();

  /** The bytes of replies that wait in the queue. */
  private int queuedBytes;

  private boolean working;
  private boolean paused;

  /** The commands since MULTI; null outside of a transaction. */
  private @Nullable Transaction transaction;

  /** What EXEC has begun to execute: as fast as replies are known and read. */
  private @Nullable Transaction executing;

  /** Nothing more is received, but what was is still answered. */
  private boolean finishing;

  /** Nothing more is answered but what is in the queue. */
  private boolean ending;

  private boolean outputEnded;

  /** Seconds, counted by {@link #tick}: how old this is, and when what happened. */
  private int age;

  private int heardAt;
  private int slowSince;
  private int endedAt;
  private int transactionSince;

  /** How many requests have come, and had come when the client was last found to be slow. */
  private long requests;

  private long slowAt = -1;

  /**
   * Starts a conversation.
   *
   * @param unfinished bounds the bytes of requests and transactions that are not complete
   */
  Conversation(
      Wire wire,
      Session session,
      CommandTable commands,
      ConversationBounds bounds,
      ByteBudget.Share unfinished) {
    this.wire = wire;
    this.session = session;
    this.commands = commands;
    this.bounds = bounds;
    this.parser = new RespParser(requestBounds());
    this.unfinished = unfinished;
  }

  Session session() {
    return session;
  }

  Wire wire() {
    return wire;
  }

  /** Returns the commands since MULTI; null outside of a transaction. */
  @Nullable Transaction transaction() {
    return transaction;
  }

  /** Starts a transaction, or ends it with null. */
  void transaction(@Nullable Transaction started) {
    transaction = started;
    transactionSince = age;
  }

  /** Executes a transaction after the reply to the current request. */
  void executeAfterThis(Transaction committed) {
    executing = committed;
  }

  /** To be called when the session was locked or unlocked, or speaks another version. */
  void sessionChanged() {
    parser.boundBy(requestBounds());
    out.resp3(session.isResp3());
  }

  private RespParser.Bounds requestBounds() {
    return session.isLocked() ? LOCKED : bounds.request();
  }

  /**
   * Processes input.
   *
   * @param bytes belong to the conversation from now on
   */
  public void received(byte[] bytes) {
    heardAt = age;
    if (!finishing && !ending) {
      parser.feed(bytes);
      work();
    }
  }

  /** Continues after the wire was full. */
  public void drained() {
    work();
  }

  /** Answers what was received so far, and then ends. */
  public void finish() {
    finishing = true;
    work();
  }

  /** Ends after the reply to the request at hand. */
  void endAfterThis() {
    ending = true;
  }

  /** Releases everything: the wire is closed. */
  public void closed() {
    ending = true;
    outputEnded = true;
    queue.clear();
    queuedBytes = 0;
    discardInput();
    out.clear();
  }

  /** Checks the deadlines. Must be called once a second. */
  public void tick() {
    age++;
    if (outputEnded) {
      if (age - endedAt > LINGER_SECONDS) {
        wire.close();
      }
      return;
    }
    boolean slow = isSlow() || isTransactionSlow();
    if (slow && wire.isFull()) {
      wire.close();
    } else if (slow && (parser.isPartial() || transaction != null)) {
      fail("the rest of the request did not come in time");
      work();
    } else if (slow || isIdle()) {
      finish();
    }
  }

  /** Whether the client has been expected to do the same thing for too long. */
  private boolean isSlow() {
    boolean expected =
        wire.isFull() || (queue.isEmpty() && (parser.isPartial() || session.isLocked()));
    if (!expected) {
      slowAt = -1;
    } else if (slowAt != requests) {
      slowAt = requests;
      slowSince = age;
    }
    return expected && age - slowSince > seconds(bounds.requestTimeout());
  }

  /** Whether EXEC has been missing for too long: what is queued takes memory. */
  private boolean isTransactionSlow() {
    return transaction != null && age - transactionSince > seconds(bounds.requestTimeout());
  }

  private boolean isIdle() {
    Duration timeout = bounds.idleTimeout();
    return !timeout.isZero() && queue.isEmpty() && age - heardAt > seconds(timeout);
  }

  private static long seconds(Duration duration) {
    return duration.plusMillis(999).toSeconds();
  }

  /** May be called on any thread. */
  private void decided() {
    boolean seenAnyway = Thread.currentThread() == thread && working;
    if (!seenAnyway && woken.compareAndSet(false, true)) {
      wire.soon(
          () -> {
            woken.set(false);
            work();
          });
    }
  }

  /** Answers what can be answered now. */
  private void work() {
    if (working) {
      return; // called back while sending: the loop below continues
    }
    working = true;
    boolean more;
    do {
      more = answerSome();
      moveDecided();
      out.sendTo(wire);
    } while (more && !isBusy());
    working = false;
    boolean over = ending || (finishing && !isBusy());
    if (over && queue.isEmpty() && !outputEnded) {
      outputEnded = true;
      endedAt = age;
      discardInput();
      wire.endOutput();
    }
    flow();
  }

  /** Reads on unless there is too much to do. */
  private void flow() {
    boolean pause = isBusy() && !outputEnded;
    if (pause != paused) {
      paused = pause;
      if (pause) {
        wire.pause();
      } else {
        wire.resume();
      }
    }
  }

  private boolean isBusy() {
    return queue.size() >= bounds.maxPending() || queuedBytes >= SEND_AT || wire.isFull();
  }

  /** Returns whether there may be more to answer. */
  private boolean answerSome() {
    try {
      while (!ending && out.length() < SEND_AT && !isBusy()) {
        if (!executeQueued()) {
          Request request = parser.next();
          if (request == null) {
            holdUnfinished();
            return false;
          }
          answer(request);
        }
        requests++;
      }
    } catch (ProtocolException e) {
      fail(e.getMessage());
    }
    return !ending;
  }

  private void answer(Request request) {
    CommandTable.Entry entry = commands.find(request);
    if (transaction == null || entry.command().inTransaction() == InTransaction.EXECUTED) {
      execute(entry, request);
    } else {
      queue(entry, request, transaction);
    }
  }

  /** Executes the next command of the transaction, if there is one. */
  private boolean executeQueued() {
    Transaction.Queued next = executing == null ? null : executing.next();
    if (next == null) {
      executing = null;
      return false;
    }
    execute(next.entry(), next.request());
    return true;
  }

  private void queue(CommandTable.Entry entry, Request request, Transaction open) {
    ReplyWriter reply = writer();
    try {
      entry.checkQueued(request, this);
      open.add(entry, request);
      reply.simple("QUEUED");
    } catch (RuntimeException e) {
      open.abort();
      entry.refuse(e, reply);
    }
    written(reply);
  }

  private void execute(CommandTable.Entry entry, Request request) {
    ReplyWriter reply = writer();
    int before = reply.length();
    PendingReply<?> later = null;
    try {
      entry.check(request, this);
      later = entry.command().action().run(request, this, reply);
      if (later == null) {
        entry.countAnswer();
      }
    } catch (RuntimeException e) {
      reply.cutTo(before);
      entry.refuse(e, reply);
      if (transaction != null) {
        transaction.abort();
      }
    }
    if (later == null) {
      written(reply);
    } else {
      later.await(entry, decided);
      queue.add(later);
      if (queue.size() == 1) {
        moveDecided();
      }
    }
  }

  private void holdUnfinished() {
    int queued = transaction == null ? 0 : transaction.bytes();
    if (!unfinished.resize(parser.heldBytes() + queued)) {
      endWith("too many bytes of unfinished requests at this server, closing the connection");
    }
  }

  private void fail(@Nullable String message) {
    endWith("Protocol error: " + message);
  }

  private void endWith(String error) {
    ReplyWriter reply = writer();
    reply.error("ERR", error);
    written(reply);
    commands.countUnreadable();
    ending = true;
    discardInput();
  }

  private void discardInput() {
    parser.clear();
    transaction = null;
    executing = null;
    unfinished.release();
  }

  /** Where the next reply goes: it may have to stand behind others. */
  private ReplyWriter writer() {
    if (queue.isEmpty()) {
      return out;
    }
    ReplyWriter writer = new ReplyWriter();
    writer.resp3(session.isResp3());
    return writer;
  }

  private void written(ReplyWriter reply) {
    if (reply != out) {
      Slot slot = new Slot.Written(reply.toBytes());
      queuedBytes += slot.size();
      queue.add(slot);
    }
  }

  private void moveDecided() {
    for (Slot next = queue.peek(); next != null && next.isDone(); next = queue.peek()) {
      queue.remove();
      queuedBytes -= next.size();
      next.writeTo(out);
    }
  }
}
