package dev.sash.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.Decision;
import dev.sash.store.StoreException;
import dev.sash.store.StoreException.Reason;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests that go to Redis in one call of the script, and the meaning of its reply. Requests for
 * one key form a group, in the order in which they were added; equal ones in a row form a run,
 * which costs Redis no more than one request. See batch.lua for the format. Not thread-safe.
 */
final class Batch {
  /** The most work for one call, so that no other client of Redis waits for long. */
  static final int MAX_WORK = 64;

  /** The most requests of one call; more than that would keep the I/O thread busy for long. */
  static final int MAX_REQUESTS = 1_024;

  /** The most bytes of keys, more or less. */
  static final int MAX_KEY_BYTES = 16 * 1_024;

  private static final int MAX_SETS = 255;
  private static final int MAX_RUNS = 255;
  private static final int MAX_UNIT_RUN = 255;
  private static final int MAX_RUN = 65_534;
  private static final int FAILED = 65_535;
  private static final int RUN_BYTES = 7;

  /** What an operation without a straight line in the script costs, compared to one with it. */
  private static final int GENERAL_WORK = 8;

  /** Equal requests in a row. */
  private static final class Run {
    final List<Request> requests = new ArrayList<>(1);

    Request first() {
      return requests.get(0);
    }
  }

  /** The requests for one key under one set of limits. */
  private static final class Group {
    final List<Run> runs = new ArrayList<>(1);
    final int set;
    final @Nullable Group before;

    /**
     * Creates a group.
     *
     * @param set the number of the set of limits, from 0
     * @param before another group with the same text as key
     */
    Group(int set, @Nullable Group before) {
      this.set = set;
      this.before = before;
    }

    Request first() {
      return runs.get(0).first();
    }

    Run last() {
      return runs.get(runs.size() - 1);
    }
  }

  private final List<Group> groups = new ArrayList<>();
  private final List<LimitSet> sets = new ArrayList<>(2);
  private final Map<String, Group> groupOfKey = new HashMap<>();
  private int requests;
  private int work;
  private int keyBytes;
  private int programBytes = 1;
  private int names;

  /** Returns a batch of one request. */
  static Batch of(Request request) {
    Batch batch = new Batch();
    batch.add(request);
    return batch;
  }

  boolean isEmpty() {
    return requests == 0;
  }

  boolean isFull() {
    return work >= MAX_WORK
        || requests >= MAX_REQUESTS
        || keyBytes >= MAX_KEY_BYTES
        || sets.size() >= MAX_SETS;
  }

  /** Returns whether all requests are about one key. */
  boolean hasOneKey() {
    return groups.size() == 1;
  }

  /** Adds a request. The batch must not be full. */
  void add(Request request) {
    requests++;
    Group last = groupOf(request);
    if (last != null && last.first().limits == request.limits && append(last, request)) {
      return;
    }
    Group group = new Group(numberOf(request.limits), groupOfKey.get(request.key));
    group.runs.add(run(request));
    groups.add(group);
    groupOfKey.put(request.key, group);
    names += request.limits.limits().size();
    work += request.limits.limits().size() * workOf(request);
    keyBytes += request.limits.limits().size() * (request.key.length() + request.policy.length());
    programBytes += 3 + RUN_BYTES;
  }

  /** Returns the latest group of a request's key: requests for one key keep their order. */
  private @Nullable Group groupOf(Request request) {
    Group group = groupOfKey.get(request.key);
    while (group != null && !group.first().policy.equals(request.policy)) {
      group = group.before;
    }
    return group;
  }

  private boolean append(Group group, Request request) {
    Run last = group.last();
    if (last.requests.size() < MAX_RUN && last.first().isEqualTo(request)) {
      last.requests.add(request);
      return true;
    }
    if (group.runs.size() == MAX_RUNS) {
      return false;
    }
    group.runs.add(run(request));
    work += request.limits.limits().size() * GENERAL_WORK;
    programBytes += RUN_BYTES;
    return true;
  }

  private static int workOf(Request request) {
    return request.operation == Request.ACQUIRE ? 1 : GENERAL_WORK;
  }

  private static Run run(Request request) {
    Run run = new Run();
    run.requests.add(request);
    return run;
  }

  private int numberOf(LimitSet limits) {
    int number = sets.lastIndexOf(limits);
    if (number < 0) {
      number = sets.size();
      sets.add(limits);
      programBytes += limits.packed().length;
    }
    return number;
  }

  /** Returns batches of the same requests, one for each group. */
  List<Batch> split() {
    List<Batch> parts = new ArrayList<>();
    for (Group group : groups) {
      Batch part = new Batch();
      group.runs.forEach(run -> run.requests.forEach(part::add));
      parts.add(part);
    }
    return parts;
  }

  /** Returns the Redis keys, in the order of the program. */
  String[] keys(KeyNames keyNames) {
    String[] keys = new String[names];
    int n = 0;
    for (Group group : groups) {
      Request request = group.first();
      String[] some = keyNames.of(request.policy, request.key, request.limits.limits());
      System.arraycopy(some, 0, keys, n, some.length);
      n += some.length;
    }
    return keys;
  }

  /** Returns the argument of the script. */
  byte[] program() {
    ByteBuffer program = ByteBuffer.allocate(programBytes).order(ByteOrder.LITTLE_ENDIAN);
    program.put((byte) sets.size());
    for (LimitSet set : sets) {
      program.put(set.packed());
    }
    for (Group group : groups) {
      if (sets.size() > 1) {
        program.put((byte) (group.set + 1));
      }
      write(group, program);
    }
    byte[] bytes = new byte[program.position()];
    program.flip().get(bytes);
    return bytes;
  }

  private static void write(Group group, ByteBuffer program) {
    Run only = group.runs.size() == 1 ? group.last() : null;
    if (only != null
        && only.first().operation == Request.ACQUIRE
        && only.first().permits == 1
        && only.requests.size() <= MAX_UNIT_RUN) {
      program.put((byte) only.requests.size());
      return;
    }
    program.put((byte) 0).put((byte) group.runs.size());
    for (Run run : group.runs) {
      program
          .put((byte) run.first().operation)
          .putInt((int) run.first().permits)
          .putShort((short) run.requests.size());
    }
  }

  /** Passes every request to the consumer. */
  void forEach(Consumer<Request> consumer) {
    for (Group group : groups) {
      for (Run run : group.runs) {
        run.requests.forEach(consumer);
      }
    }
  }

  /**
   * Reads the reply, and passes every request with its decision, or with its exception, to one of
   * the two consumers.
   */
  void read(
      byte[] reply,
      BiConsumer<Request, Decision> decided,
      BiConsumer<Request, StoreException> failed) {
    ByteBuffer buffer = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
    StoreException unreadable = null;
    for (Group group : groups) {
      StoreException failure = unreadable;
      for (Run run : group.runs) {
        if (failure == null) {
          try {
            failure = read(run, buffer, isLast(group, run), decided);
          } catch (BufferUnderflowException | IllegalArgumentException e) {
            failure = unexpected(reply.length, e);
            unreadable = failure;
          }
        }
        if (failure != null) {
          StoreException thrown = failure;
          run.requests.forEach(request -> failed.accept(request, thrown));
        }
      }
    }
  }

  private boolean isLast(Group group, Run run) {
    return run == group.last() && group == groups.get(groups.size() - 1);
  }

  /** Returns the failure of the run's group, or null after passing all decisions on. */
  private static @Nullable StoreException read(
      Run run, ByteBuffer reply, boolean isLast, BiConsumer<Request, Decision> decided) {
    int admitted = Short.toUnsignedInt(reply.getShort());
    if (admitted == FAILED) {
      byte[] message = new byte[Short.toUnsignedInt(reply.getShort())];
      reply.get(message);
      return Failures.ofReply(new String(message, UTF_8));
    }
    Request first = run.first();
    LimitSet limits = first.limits;
    int at = reply.position();
    boolean inspects = first.operation == Request.INSPECT;
    int end = at + limits.replyBytes(inspects);
    if (end > reply.limit() || (isLast && end < reply.limit()) || admitted > run.requests.size()) {
      throw new IllegalArgumentException(
          "%d admitted of %d, and %d bytes instead of %d"
              .formatted(admitted, run.requests.size(), reply.limit(), end));
    }
    reply.position(end);
    List<Decision> decisions = new ArrayList<>(run.requests.size());
    if (inspects) {
      decisions.add(limits.inspected(reply, at, first.permits, admitted == 1));
    } else {
      long permits = first.operation == Request.ACQUIRE ? first.permits : 0;
      for (int i = 0; i < admitted; i++) {
        decisions.add(limits.decision(reply, at, permits, true, admitted - 1 - i));
      }
      if (admitted < run.requests.size()) {
        Decision denial = limits.decision(reply, at, permits, false, 0);
        decisions.addAll(Collections.nCopies(run.requests.size() - admitted, denial));
      }
    }
    for (int i = 0; i < decisions.size(); i++) {
      decided.accept(run.requests.get(i), decisions.get(i));
    }
    return null;
  }

  private static StoreException unexpected(int length, RuntimeException cause) {
    return new StoreException(
        Reason.UNAVAILABLE, "unexpected reply of " + length + " bytes", cause);
  }
}
