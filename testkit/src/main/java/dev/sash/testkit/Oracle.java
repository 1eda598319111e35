package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import dev.sash.MicroClock;
import dev.sash.store.Decisions;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The decision contract as a slow and obvious model. It keeps what was charged in plain lists,
 * counts them anew for every request, and finds waits by trying: there is nothing clever in it that
 * could be wrong. Stores are compared with it decision by decision; you can ask it what a limit of
 * your own will do.
 *
 * <pre>{@code
 * ManualClock clock = new ManualClock();
 * RateLimiter login = new Oracle(clock).limiter(Policy.of("login", Limit.parse("3/1m")));
 * login.tryAcquire("user:42", 3);
 * clock.advance(Duration.ofSeconds(20));
 * login.tryAcquire("user:42").retryAfter(); // 40 s
 * }</pre>
 *
 * <p>State is kept for each policy name, key and kind of limit. Nothing is cleaned up except by a
 * reset, and a decision may take milliseconds: it is for tests. Waits longer than 2⁶² microseconds,
 * which token buckets with very slow refill can have, are reported as 2⁶². Thread-safe.
 */
public final class Oracle implements Store {
  private record Account(String policy, String key) {}

  private final MicroClock clock;
  private final Map<Account, List<Ledger>> accounts = new HashMap<>();

  /**
   * Creates a model in which nothing is charged.
   *
   * @param clock dates decisions, such as a {@link ManualClock}
   */
  public Oracle(MicroClock clock) {
    this.clock = Objects.requireNonNull(clock, "clock must not be null");
  }

  @Override
  public MicroClock clock() {
    return clock;
  }

  @Override
  public synchronized Decision decide(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    List<Ledger> held =
        accounts.computeIfAbsent(
            new Account(limits.policy().name(), key), account -> new ArrayList<>());
    if (operation == Operation.RESET) {
      held.removeIf(ledger -> limits.limits().stream().anyMatch(ledger.limit::sharesStateWith));
    }
    List<Ledger> ledgers = limits.limits().stream().map(limit -> ledger(held, limit)).toList();
    long now = now(ledgers);
    for (int i = 0; i < ledgers.size(); i++) {
      ledgers.get(i).putInForce(limits.limits().get(i), now);
    }
    return switch (operation) {
      case ACQUIRE -> acquire(ledgers, now, permits);
      case CHARGE -> charge(ledgers, now, permits);
      case REFUND -> refund(ledgers, now, permits);
      case PEEK, REFUND_LOCAL, RESET -> decision(ledgers, now, 0);
      case INSPECT -> Decisions.withUsages(decision(ledgers, now, permits), usages(ledgers, now));
    };
  }

  /**
   * Returns whether anything is kept that a store may have forgotten: states to which nothing was
   * charged any more at the given time.
   */
  synchronized boolean hasIdleState(long latestMicros) {
    return accounts.values().stream()
        .flatMap(List::stream)
        .anyMatch(ledger -> ledger.isIdle(Math.min(latestMicros, Ledger.LONGEST_WAIT)));
  }

  private static Ledger ledger(List<Ledger> held, Limit limit) {
    for (Ledger ledger : held) {
      if (ledger.limit.sharesStateWith(limit)) {
        return ledger;
      }
    }
    Ledger blank = Ledger.of(limit);
    held.add(blank);
    return blank;
  }

  /** Time never moves backwards for a key, never begins before 0, and ends at 2⁶². */
  private long now(List<Ledger> ledgers) {
    long now = Math.max(0, Math.min(clock.micros(), Ledger.LONGEST_WAIT));
    for (Ledger ledger : ledgers) {
      now = Math.max(now, ledger.newestMicros);
    }
    return now;
  }

  private static Decision acquire(List<Ledger> ledgers, long now, long permits) {
    if (!ledgers.stream().allMatch(ledger -> ledger.fits(now, permits))) {
      return decision(ledgers, now, permits);
    }
    if (permits > 0) {
      ledgers.forEach(ledger -> ledger.charge(now, permits));
    }
    return decision(ledgers, now, 0);
  }

  private static Decision charge(List<Ledger> ledgers, long now, long permits) {
    long charged = permits;
    for (Ledger ledger : ledgers) {
      charged = Math.min(charged, Decisions.MAX_USED - ledger.used(now));
    }
    for (Ledger ledger : ledgers) {
      if (charged > 0) {
        ledger.charge(now, charged);
      }
    }
    return decision(ledgers, now, 0);
  }

  private static Decision refund(List<Ledger> ledgers, long now, long permits) {
    for (Ledger ledger : ledgers) {
      if (permits > 0 && ledger.used(now) > 0) {
        ledger.refund(now, permits);
      }
    }
    return decision(ledgers, now, 0);
  }

  /** The decision for that many permits: 0 after they were charged. */
  private static Decision decision(List<Ledger> ledgers, long now, long permits) {
    Ledger nearest = ledgers.get(0);
    Ledger slowest = ledgers.get(0);
    long longest = 0;
    long fewest = Long.MAX_VALUE;
    long resetAfter = 0;
    for (Ledger ledger : ledgers) {
      long remaining = ledger.remaining(now);
      if (remaining < fewest) {
        nearest = ledger;
        fewest = remaining;
      }
      long retryAfter = ledger.retryAfter(now, permits);
      if (retryAfter > longest) {
        slowest = ledger;
        longest = retryAfter;
      }
      resetAfter = Math.max(resetAfter, ledger.resetAfter(now));
    }
    if (longest == 0) {
      return Decisions.allowed(nearest.limit, nearest.used(now), fewest, resetAfter, Source.STORE);
    }
    long used = slowest.used(now);
    return longest == Ledger.NEVER
        ? Decisions.neverAllowed(slowest.limit, used, fewest, resetAfter, Source.STORE)
        : Decisions.denied(slowest.limit, used, fewest, longest, resetAfter, Source.STORE);
  }

  private static List<LimitUsage> usages(List<Ledger> ledgers, long now) {
    return ledgers.stream()
        .map(
            ledger ->
                new LimitUsage(
                    ledger.limit,
                    ledger.used(now),
                    ledger.records(now),
                    Duration.ZERO,
                    ledger.releases(now)))
        .toList();
  }
}
