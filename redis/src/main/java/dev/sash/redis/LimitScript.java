package dev.sash.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.Algorithm;
import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How a list of limits on one key is asked of Redis: by which script, with which arguments, and
 * what the reply means. The names of the Redis keys are given in the order of the limits.
 * Immutable.
 */
final class LimitScript {
  private static final byte[] REFUND = "refund".getBytes(US_ASCII);
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

  /** The limits, in the order of the keys. */
  List<Limit> limits() {
    return limits;
  }

  /** What to load and to call. */
  Script script() {
    return script;
  }

  /** The arguments to spend permits; 0 only looks. */
  byte[][] acquire(long permits) {
    return new byte[][] {numbers(permits)};
  }

  /** The arguments to give permits back. */
  byte[][] refund(long permits) {
    return new byte[][] {numbers(permits), REFUND};
  }

  /** The arguments to see what is kept. */
  byte[][] inspect() {
    return new byte[][] {numbers, INSPECT};
  }

  private byte[] numbers(long permits) {
    byte[] copy = numbers.clone();
    packed(copy).putDouble((double) permits);
    return copy;
  }

  /**
   * The decision that a reply tells: of several limits the one with the longest wait denies, the
   * one with the fewest permits left admits; of equals the first.
   *
   * @param permits as asked for by {@link #acquire}; 0 after {@link #refund}
   * @param reply as the script sent it
   * @return the decision, from the store
   */
  Decision decision(long permits, byte[] reply) {
    int nearest = 0;
    int longest = 0;
    long remaining = Long.MAX_VALUE;
    long retryAfter = 0;
    long resetAfter = 0;
    long[] used = new long[limits.size()];
    for (int i = 0; i < used.length; i++) {
      Standing standing = standing(reply, i, 1 + Standing.NUMBERS * i);
      long capacity = limits.get(i).capacity();
      used[i] = standing.used();
      long room = Math.max(0, capacity - used[i]);
      if (room < remaining) {
        nearest = i;
        remaining = room;
      }
      long wait = permits > capacity ? NEVER : standing.until(capacity - permits);
      if (wait > retryAfter) {
        longest = i;
        retryAfter = wait;
      }
      resetAfter = Math.max(resetAfter, standing.until(0));
    }
    if (number(reply, 0) == 1) {
      return Decision.allowed(
          limits.get(nearest), used[nearest], remaining, resetAfter, Source.STORE);
    }
    Limit decidedBy = limits.get(longest);
    return retryAfter == NEVER
        ? Decision.impossible(decidedBy, used[longest], remaining, resetAfter, Source.STORE)
        : Decision.denied(
            decidedBy, used[longest], remaining, retryAfter, resetAfter, Source.STORE);
  }

  /**
   * What a reply to {@link #inspect} tells.
   *
   * @param reply as the script sent it
   * @return one state for each limit, in their order
   */
  List<KeyState> states(byte[] reply) {
    List<KeyState> states = new ArrayList<>();
    for (int i = 0; i < limits.size(); i++) {
      int at = 1 + (Standing.NUMBERS + 2) * i;
      long records = number(reply, at + Standing.NUMBERS);
      Duration timeToLive =
          Duration.ofMillis(Math.max(0, number(reply, at + Standing.NUMBERS + 1)));
      states.add(new KeyState(limits.get(i), standing(reply, i, at).used(), records, timeToLive));
    }
    return states;
  }

  private Standing standing(byte[] reply, int limit, int at) {
    return Standing.of(
        limits.get(limit), number(reply, at), number(reply, at + 1), number(reply, at + 2));
  }

  private static long number(byte[] reply, int index) {
    return (long) packed(reply).getDouble(Double.BYTES * index);
  }
}
