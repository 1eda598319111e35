package dev.sash.http.internal;

import dev.sash.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * The requests of this process that wait for permits of one key under one policy, in order of
 * arrival. Guarded by the {@link WaitingRequests} that it belongs to.
 */
final class WaitingLine {
  /** The policy and key of a line. */
  record Name(String policy, String key) {
    static Name of(WaitingCharge charge) {
      return new Name(charge.policy(), charge.target().key());
    }
  }

  private record Place(WaitingRequest request, long permits) {}

  private static final long LONGEST = Long.MAX_VALUE / 4;

  private final Name name;
  private final List<Limit> limits;
  private final TreeMap<Long, Place> places = new TreeMap<>();

  /** The earliest time at which the first request fits, if it is known; otherwise in the past. */
  private long firstFitsMicros;

  WaitingLine(WaitingCharge charge) {
    name = Name.of(charge);
    limits = charge.target().limits();
  }

  Name name() {
    return name;
  }

  boolean isEmpty() {
    return places.isEmpty();
  }

  boolean contains(WaitingRequest request) {
    return places.containsKey(request.ticket());
  }

  /** Adds a request at the place that its arrival gives it. */
  void add(WaitingRequest request, long permits) {
    if (places.isEmpty() || request.ticket() < places.firstKey()) {
      firstFitsMicros = 0;
    }
    places.put(request.ticket(), new Place(request, permits));
  }

  void remove(WaitingRequest request) {
    if (first() == request) {
      firstFitsMicros = 0; // the next one may cost less
    }
    places.remove(request.ticket());
  }

  WaitingRequest first() {
    return places.firstEntry().getValue().request();
  }

  /** Records when the first request will fit. */
  void firstFitsAt(long micros) {
    firstFitsMicros = micros;
  }

  /** Returns whether an earlier request waits. */
  boolean isBehind(WaitingRequest request) {
    return !places.isEmpty() && places.firstKey() < request.ticket();
  }

  /**
   * Returns the least time until a request can be admitted after those that have arrived before it,
   * if nothing is refunded; 0 if its turn may come at any moment.
   */
  long leastWaitMicros(WaitingRequest request, long permits, long nowMicros) {
    long ahead = 0;
    for (Place place : places.headMap(request.ticket()).values()) {
      ahead += place.permits();
    }
    return leastWaitMicros(ahead + permits, nowMicros);
  }

  /** Returns those behind the first request whose turn comes too late. */
  List<WaitingRequest> tooLate(long nowMicros) {
    List<WaitingRequest> tooLate = new ArrayList<>();
    long permits = 0;
    for (Place place : places.values()) {
      boolean isFirst = permits == 0;
      permits += place.permits();
      long left = Math.max(0, place.request().deadlineMicros() - nowMicros);
      if (!isFirst && leastWaitMicros(permits, nowMicros) > left) {
        tooLate.add(place.request());
        permits -= place.permits();
      }
    }
    return tooLate;
  }

  /**
   * @param permits those ahead, and those of the request
   */
  private long leastWaitMicros(long permits, long nowMicros) {
    boolean isStartExact = firstFitsMicros > nowMicros && limits.size() == 1;
    long wait = 0;
    for (Limit limit : limits) {
      wait = Math.max(wait, spreadMicros(limit, permits, isStartExact));
    }
    return startMicros(nowMicros) + wait;
  }

  /** Returns the least time until the first request is admitted. */
  private long startMicros(long nowMicros) {
    WaitingRequest first = first();
    long start = Math.max(0, firstFitsMicros - nowMicros);
    if (!first.isBusy()) {
      start = Math.max(start, first.retryMicros() - nowMicros);
      if (!first.isFirst()) {
        start = Math.max(start, 1); // behind others in another line
      }
    }
    return start;
  }

  /**
   * Returns the least time between the start, when the first request may be admitted, and the
   * admission of the last of so many permits.
   *
   * @param isStartExact whether nothing fits before the start under this limit
   */
  private long spreadMicros(Limit limit, long permits, boolean isStartExact) {
    // How many times the limit must have been spent before the last permit.
    long rounds = (permits - 1) / limit.permits();
    return switch (limit.algorithm()) {
      case SLIDING_LOG -> windowsMicros(limit, rounds);
      case FIXED_WINDOW -> windowsMicros(limit, isStartExact ? rounds : rounds - 1);
      case SLIDING_COUNTER -> windowsMicros(limit, rounds - 1);
      case TOKEN_BUCKET ->
          refillMicros(limit, permits - (isStartExact ? firstPermits() : limit.capacity()));
    };
  }

  private static long windowsMicros(Limit limit, long windows) {
    return windows <= 0
        ? 0
        : Math.min(windows, LONGEST / limit.windowMicros()) * limit.windowMicros();
  }

  /** Rounds down, and does not overflow. */
  private static long refillMicros(Limit limit, long permits) {
    if (permits <= 0) {
      return 0;
    }
    long window = limit.windowMicros();
    long rest = permits % limit.permits();
    return windowsMicros(limit, permits / limit.permits())
        + (rest <= LONGEST / window
            ? rest * window / limit.permits()
            : rest * (window / limit.permits()));
  }

  private long firstPermits() {
    return places.firstEntry().getValue().permits();
  }
}
