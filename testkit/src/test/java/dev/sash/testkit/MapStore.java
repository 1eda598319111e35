package dev.sash.testkit;

import dev.sash.Algorithm;
import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import dev.sash.MicroClock;
import dev.sash.store.Decisions;
import dev.sash.store.Operation;
import dev.sash.store.Releases;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A store as somebody else might write one: a map, a small state for each key and kind of limit,
 * and one method. It is simple and slow, and forgets nothing.
 */
final class MapStore implements Store {
  private static final long LONGEST_WAIT = 1L << 62;

  private record StateKey(String policy, String key) {}

  private final MicroClock clock;
  private final Map<StateKey, List<State>> states = new ConcurrentHashMap<>();

  MapStore(MicroClock clock) {
    this.clock = clock;
  }

  @Override
  public MicroClock clock() {
    return clock;
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    List<State> held =
        states.computeIfAbsent(
            new StateKey(limits.policy().name(), key), unused -> new ArrayList<>());
    synchronized (held) {
      return decide(operation, held, limits.limits(), permits);
    }
  }

  private Decision decide(Operation operation, List<State> held, List<Limit> limits, long permits) {
    if (operation == Operation.RESET) {
      held.removeIf(state -> limits.stream().anyMatch(state.limit::sharesStateWith));
    }
    List<State> asked = new ArrayList<>();
    long now = Math.max(0, Math.min(clock.micros(), LONGEST_WAIT));
    for (Limit limit : limits) {
      State state =
          held.stream().filter(s -> s.limit.sharesStateWith(limit)).findAny().orElse(null);
      if (state == null) {
        state = new State(limit);
        held.add(state);
      }
      asked.add(state);
      now = Math.max(now, state.newest);
    }
    long most = Decisions.MAX_USED;
    boolean fits = true;
    for (int i = 0; i < asked.size(); i++) {
      asked.get(i).change(limits.get(i), now);
      long used = asked.get(i).used(now);
      fits &= used + permits <= limits.get(i).capacity();
      most = Math.min(most, Decisions.MAX_USED - used);
    }
    for (State state : asked) {
      if (operation == Operation.ACQUIRE && fits) {
        state.add(now, permits);
      } else if (operation == Operation.CHARGE) {
        state.add(now, Math.min(permits, most));
      } else if (operation == Operation.REFUND && state.used(now) > 0) {
        state.remove(now, permits);
      }
    }
    boolean denied = operation == Operation.ACQUIRE && !fits;
    boolean wanted = denied || operation == Operation.INSPECT;
    Decision decision = decision(asked, now, wanted ? permits : 0);
    return operation == Operation.INSPECT ? inspected(decision, asked, now) : decision;
  }

  private static Decision decision(List<State> asked, long now, long permits) {
    State nearest = asked.get(0);
    State slowest = asked.get(0);
    long remaining = Long.MAX_VALUE;
    long retry = 0;
    long reset = 0;
    for (State state : asked) {
      long capacity = state.limit.capacity();
      if (Math.max(0, capacity - state.used(now)) < remaining) {
        remaining = Math.max(0, capacity - state.used(now));
        nearest = state;
      }
      long wait = permits > capacity ? Long.MAX_VALUE : state.until(now, capacity - permits);
      if (wait > retry) {
        retry = wait;
        slowest = state;
      }
      reset = Math.max(reset, state.until(now, 0));
    }
    return retry == 0
        ? Decisions.allowed(nearest.limit, nearest.used(now), remaining, reset, Source.STORE)
        : Decisions.denied(slowest.limit, slowest.used(now), remaining, retry, reset, Source.STORE);
  }

  private static Decision inspected(Decision decision, List<State> asked, long now) {
    return Decisions.withUsages(
        decision,
        asked.stream()
            .map(
                state ->
                    new LimitUsage(
                        state.limit,
                        state.used(now),
                        state.used(now) == 0 ? 0 : Math.max(1, state.counts.size()),
                        Duration.ZERO,
                        Releases.of(
                            state.used(now),
                            step -> state.until(now, Releases.left(state.used(now), step)))))
            .toList());
  }

  /** Counts by date, or for a token bucket the debt in parts of a permit. */
  private static final class State {
    Limit limit;
    long newest;
    final TreeMap<Long, Long> counts = new TreeMap<>();
    BigInteger debt = BigInteger.ZERO;

    State(Limit limit) {
      this.limit = limit;
    }

    void change(Limit changed, long now) {
      if (changed.permits() != limit.permits() && debt.signum() > 0) {
        refill(now);
      }
      limit = changed;
    }

    void add(long now, long permits) {
      if (permits > 0) {
        refill(now);
        debt = debt.add(parts(permits));
        counts.merge(date(now), permits, Long::sum);
      }
    }

    void remove(long now, long permits) {
      long left = permits;
      if (left > 0) {
        refill(now);
        debt = debt.subtract(parts(permits)).max(BigInteger.ZERO);
      }
      while (left > 0 && !counts.isEmpty()) {
        long taken = Math.min(left, counts.lastEntry().getValue());
        long kept = counts.lastEntry().getValue() - taken;
        long date = counts.pollLastEntry().getKey();
        if (kept > 0) {
          counts.put(date, kept);
        }
        left -= taken;
      }
    }

    /** Forgets what no longer counts, and makes now the newest time. */
    private void refill(long now) {
      debt = debt(now);
      newest = now;
      counts.headMap(now - 2 * limit.windowMicros()).clear();
      if (limit.algorithm() == Algorithm.SLIDING_LOG) {
        counts.headMap(now - limit.windowMicros(), true).clear();
      }
    }

    long used(long time) {
      long window = limit.windowMicros();
      return switch (limit.algorithm()) {
        case SLIDING_LOG -> sum(time - window + 1, Long.MAX_VALUE);
        case FIXED_WINDOW -> sum(time - time % window, Long.MAX_VALUE);
        case SLIDING_COUNTER -> {
          long start = time - time % window;
          BigInteger covered = BigInteger.valueOf(window - time % window);
          yield BigInteger.valueOf(sum(start - window, start))
                  .multiply(covered)
                  .divide(BigInteger.valueOf(window))
                  .longValueExact()
              + sum(start, Long.MAX_VALUE);
        }
        case TOKEN_BUCKET -> {
          BigInteger[] permits = debt(time).divideAndRemainder(BigInteger.valueOf(window));
          yield permits[0].longValueExact() + permits[1].signum();
        }
      };
    }

    /** Returns the least wait after which at most that many are used, by bisection. */
    long until(long now, long target) {
      long low = 0;
      long high = 0;
      while (high < LONGEST_WAIT && used(now + high) > target) {
        low = high;
        high = Math.max(1, 2 * high);
      }
      while (high - low > 1) {
        long middle = (low + high) >>> 1;
        if (used(now + middle) <= target) {
          high = middle;
        } else {
          low = middle;
        }
      }
      return high;
    }

    private long sum(long from, long to) {
      return counts.subMap(from, to).values().stream().mapToLong(Long::longValue).sum();
    }

    private BigInteger debt(long time) {
      BigInteger refilled =
          BigInteger.valueOf(time - newest).multiply(BigInteger.valueOf(limit.permits()));
      return debt.subtract(refilled).max(BigInteger.ZERO);
    }

    private BigInteger parts(long permits) {
      if (limit.algorithm() != Algorithm.TOKEN_BUCKET) {
        return BigInteger.ZERO;
      }
      return BigInteger.valueOf(permits).multiply(BigInteger.valueOf(limit.windowMicros()));
    }

    private long date(long now) {
      long cell = limit.cellMicros();
      return now - now % cell + cell - 1;
    }
  }
}
