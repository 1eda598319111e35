package dev.sash.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.Algorithm;
import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import dev.sash.store.Decisions;
import dev.sash.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The script for a list of limits on one key, its arguments, and the meaning of its replies. The
 * names of the Redis keys are given in the order of the limits. Immutable.
 */
final class LimitScript {
  private static final byte[] REFUND = "refund".getBytes(US_ASCII);
  private static final byte[] CHARGE = "charge".getBytes(US_ASCII);
  private static final byte[] INSPECT = "inspect".getBytes(US_ASCII);
  private static final long NEVER = Long.MAX_VALUE;

  private final List<Limit> limits;
  private final Script script;

  /** The numbers of the limits, after room for the permits. */
  private final byte[] numbers;

  LimitScript(List<Limit> limits) {
    this(limits, Script.of(limits));
  }

  LimitScript(List<Limit> limits, Script script) {
    this.limits = List.copyOf(limits);
    this.script = script;
    numbers = new byte[Double.BYTES * (1 + 4 * limits.size())];
    ByteBuffer packed = packed(numbers).putDouble(0);
    for (Limit limit : limits) {
      boolean isBucket = limit.algorithm() == Algorithm.TOKEN_BUCKET;
      packed
          .putDouble(tag(limit.algorithm()))
          .putDouble((double) limit.capacity())
          .putDouble((double) limit.windowMicros())
          .putDouble(isBucket ? (double) limit.permits() : limit.cells());
    }
  }

  /** As in names.lua. */
  private static int tag(Algorithm algorithm) {
    return switch (algorithm) {
      case SLIDING_LOG -> 16;
      case SLIDING_COUNTER -> 2;
      case FIXED_WINDOW -> 3;
      case TOKEN_BUCKET -> 4;
    };
  }

  /** Doubles are what Lua reads fastest. All numbers here are whole and below 2⁵³. */
  private static ByteBuffer packed(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the limits, in the order of the keys. */
  List<Limit> limits() {
    return limits;
  }

  /** Returns the script to load and to call. */
  Script script() {
    return script;
  }

  /** Returns the arguments to acquire permits; 0 only peeks. */
  byte[][] acquire(long permits) {
    return new byte[][] {numbers(permits)};
  }

  /** Returns the arguments to give permits back. */
  byte[][] refund(long permits) {
    return new byte[][] {numbers(permits), REFUND};
  }

  /** Returns the arguments to charge permits whether they fit or not. */
  byte[][] charge(long permits) {
    return new byte[][] {numbers(permits), CHARGE};
  }

  /** Returns the arguments to see what is kept. */
  byte[][] inspect() {
    return new byte[][] {numbers, INSPECT};
  }

  private byte[] numbers(long permits) {
    byte[] copy = numbers.clone();
    packed(copy).putDouble((double) permits);
    return copy;
  }

  /**
   * Returns the decision for a reply: of several limits the one with the longest wait denies, the
   * one with the fewest permits left admits; of equals the first.
   *
   * @param permits as given to {@link #acquire}; 0 after other operations
   * @param reply as the script sent it
   * @return the decision, from the store
   */
  Decision decision(long permits, byte[] reply) {
    checkLength(reply, 1 + LimitReply.NUMBERS * limits.size());
    int nearest = 0;
    int longest = 0;
    long remaining = Long.MAX_VALUE;
    long retryAfter = 0;
    long resetAfter = 0;
    long[] used = new long[limits.size()];
    for (int i = 0; i < used.length; i++) {
      LimitReply limit = replyOf(reply, i, 1 + LimitReply.NUMBERS * i);
      long capacity = limits.get(i).capacity();
      used[i] = limit.used();
      long room = Math.max(0, capacity - used[i]);
      if (room < remaining) {
        nearest = i;
        remaining = room;
      }
      long wait = permits > capacity ? NEVER : limit.until(capacity - permits);
      if (wait > retryAfter) {
        longest = i;
        retryAfter = wait;
      }
      resetAfter = Math.max(resetAfter, limit.until(0));
    }
    if (number(reply, 0) == 1) {
      return Decisions.allowed(
          limits.get(nearest), used[nearest], remaining, resetAfter, Source.STORE);
    }
    Limit decidedBy = limits.get(longest);
    return Decisions.denied(
        decidedBy, used[longest], remaining, retryAfter, resetAfter, Source.STORE);
  }

  /**
   * Returns the decision for a reply to {@link #inspect}, with usages.
   *
   * @param reply as the script sent it
   */
  Decision inspected(byte[] reply) {
    int numbers = 1 + (LimitReply.NUMBERS + 2) * limits.size();
    checkLength(reply, numbers);
    byte[] plain = new byte[Double.BYTES * (1 + LimitReply.NUMBERS * limits.size())];
    System.arraycopy(reply, 0, plain, 0, Double.BYTES);
    List<LimitUsage> states = new ArrayList<>();
    for (int i = 0; i < limits.size(); i++) {
      int at = 1 + (LimitReply.NUMBERS + 2) * i;
      System.arraycopy(
          reply,
          Double.BYTES * at,
          plain,
          Double.BYTES * (1 + LimitReply.NUMBERS * i),
          Double.BYTES * LimitReply.NUMBERS);
      long records = number(reply, at + LimitReply.NUMBERS);
      Duration timeToLive =
          Duration.ofMillis(Math.max(0, number(reply, at + LimitReply.NUMBERS + 1)));
      states.add(new LimitUsage(limits.get(i), replyOf(reply, i, at).used(), records, timeToLive));
    }
    return Decisions.withUsages(decision(0, plain), states);
  }

  private LimitReply replyOf(byte[] reply, int limit, int at) {
    return LimitReply.of(
        limits.get(limit), number(reply, at), number(reply, at + 1), number(reply, at + 2));
  }

  /** A reply that is not one of ours must follow the failure rule like any other failure. */
  private static void checkLength(byte[] reply, int numbers) {
    if (reply.length != Double.BYTES * numbers) {
      throw new StoreException(
          StoreException.Reason.UNAVAILABLE,
          "reply must have " + Double.BYTES * numbers + " bytes, had " + reply.length,
          null);
    }
  }

  private static long number(byte[] reply, int index) {
    return (long) packed(reply).getDouble(Double.BYTES * index);
  }
}
