package dev.sash.redis;

import dev.sash.Algorithm;
import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import dev.sash.internal.Bounds;
import dev.sash.store.Decisions;
import dev.sash.store.Releases;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits on one key, as the script reads them, and the meaning of its replies about them. The
 * names of the Redis keys are given in the order of the limits. Immutable; equal only to itself.
 */
final class LimitSet {
  private static final long NEVER = Long.MAX_VALUE;

  /** The least number of a reply: what PTTL says about a key that does not exist. */
  private static final long NO_EXPIRY = -2;

  /** Beyond, doubles are not exact. */
  private static final long MAX_NUMBER = 1L << 53;

  private static final int NUMBERS_OF_INSPECTION = LimitReply.NUMBERS + 2 + Releases.STEPS;

  private final List<Limit> limits;
  private final byte[] packed;

  LimitSet(List<Limit> limits) {
    this.limits = List.copyOf(limits);
    packed = new byte[1 + 4 * Double.BYTES * limits.size()];
    ByteBuffer buffer = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
    buffer.put((byte) limits.size());
    for (Limit limit : limits) {
      boolean isBucket = limit.algorithm() == Algorithm.TOKEN_BUCKET;
      // Doubles are what Lua reads fastest. All numbers here are whole and below 2⁵³.
      buffer
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

  /** Returns the limits, in the order of the keys. */
  List<Limit> limits() {
    return limits;
  }

  /** Returns the number of limits and their numbers, for the script. Not to be changed. */
  byte[] packed() {
    return packed;
  }

  /** Returns the bytes of the reply to a run after the number of requests that it admitted. */
  int replyBytes(boolean inspects) {
    return Double.BYTES * limits.size() * (inspects ? NUMBERS_OF_INSPECTION : LimitReply.NUMBERS);
  }

  /**
   * Returns the decision about one request of a run of equal ones: of several limits the one with
   * the longest wait denies, the one with the fewest permits left admits; of equals the first.
   *
   * @param reply the numbers about each limit, after the last request of the run
   * @param at where they begin
   * @param permits of each request; 0 for operations that do not acquire
   * @param allowed whether this request was admitted
   * @param later the requests admitted after this one
   * @return the decision, from the store
   * @throws IllegalArgumentException if this cannot be a reply of the script
   */
  Decision decision(ByteBuffer reply, int at, long permits, boolean allowed, long later) {
    return decision(reply, at, LimitReply.NUMBERS, permits, allowed, later);
  }

  private Decision decision(
      ByteBuffer reply, int at, int numbers, long permits, boolean allowed, long later) {
    int nearest = 0;
    int longest = 0;
    long remaining = Long.MAX_VALUE;
    long retryAfter = 0;
    long resetAfter = 0;
    long nearestUsed = 0;
    long longestUsed = 0;
    for (int i = 0; i < limits.size(); i++) {
      LimitReply limit = replyOf(reply, at + Double.BYTES * numbers * i, i, permits * later);
      long capacity = limits.get(i).capacity();
      long used = limit.used();
      Bounds.check("used", 0, Decisions.MAX_USED, used);
      long room = Math.max(0, capacity - used);
      if (room < remaining) {
        nearest = i;
        nearestUsed = used;
        remaining = room;
      }
      if (!allowed) {
        long wait = permits > capacity ? NEVER : limit.until(capacity - permits);
        if (i == 0 || wait > retryAfter) {
          longest = i;
          longestUsed = used;
          retryAfter = wait;
        }
      }
      resetAfter = Math.max(resetAfter, limit.until(0));
    }
    return allowed
        ? Decisions.allowed(limits.get(nearest), nearestUsed, remaining, resetAfter, Source.STORE)
        : Decisions.denied(
            limits.get(longest), longestUsed, remaining, retryAfter, resetAfter, Source.STORE);
  }

  /**
   * Returns the decision about an inspection, with usages.
   *
   * @param reply the numbers about each limit
   * @param at where they begin
   * @param permits the permits of the request
   * @param allowed whether it would be admitted
   * @throws IllegalArgumentException if this cannot be a reply of the script
   */
  Decision inspected(ByteBuffer reply, int at, long permits, boolean allowed) {
    List<LimitUsage> usages = new ArrayList<>();
    for (int i = 0; i < limits.size(); i++) {
      int begin = at + Double.BYTES * NUMBERS_OF_INSPECTION * i;
      long records = number(reply, begin, LimitReply.NUMBERS);
      Duration timeToLive =
          Duration.ofMillis(Math.max(0, number(reply, begin, LimitReply.NUMBERS + 1)));
      LimitReply limit = replyOf(reply, begin, i, 0);
      Limit each = limits.get(i);
      usages.add(
          new LimitUsage(
              each,
              limit.used(),
              records,
              timeToLive,
              Releases.of(
                  limit.used(),
                  step ->
                      each.algorithm() == Algorithm.SLIDING_LOG
                          ? number(reply, begin, LimitReply.NUMBERS + 1 + step)
                          : limit.until(Releases.left(limit.used(), step)))));
    }
    return Decisions.withUsages(
        decision(reply, at, NUMBERS_OF_INSPECTION, permits, allowed, 0), usages);
  }

  private LimitReply replyOf(ByteBuffer reply, int at, int limit, long chargedLater) {
    return LimitReply.of(
        limits.get(limit),
        number(reply, at, 0) - chargedLater,
        number(reply, at, 1),
        number(reply, at, 2));
  }

  private static long number(ByteBuffer reply, int at, int index) {
    long number = (long) reply.getDouble(at + Double.BYTES * index);
    Bounds.check("number", NO_EXPIRY, MAX_NUMBER, number);
    return number;
  }
}
