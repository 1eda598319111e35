package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.internal.Bounds;
import dev.sash.internal.limiter.LimitsView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The decision contract as a slow and obvious model. It keeps what was charged in plain lists,
 * counts them anew for every question, and finds waits by trying: there is nothing clever in it
 * that could be wrong. Stores are compared with it decision by decision; you can ask it what a
 * limit of your own will do.
 *
 * <pre>{@code
 * ManualClock clock = new ManualClock();
 * Oracle oracle = new Oracle(Policy.of("login", Limit.parse("3/1m")), clock);
 * oracle.tryAcquire("user:42", 3);
 * clock.advance(Duration.ofSeconds(20));
 * oracle.tryAcquire("user:42").retryAfter(); // 40 s
 * }</pre>
 *
 * <p>Nothing is ever cleaned up but what is {@linkplain #reset reset}, and a decision may take
 * milliseconds: it is for tests. Waits longer than 2⁶² microseconds, which token buckets with very
 * slow refill can owe, are reported as 2⁶². Thread-safe.
 */
public final class Oracle implements RateLimiter {
  private final MicroClock clock;
  private final Map<String, Account> accounts = new HashMap<>();
  private Policy policy;

  /** What is known of a key: the newest time recorded for it, and its charges under each limit. */
  private static final class Account {
    long newestMicros;
    List<Ledger> ledgers = List.of();

    /** Charges are kept under limits that share their state with the old ones. */
    void putInForce(List<Limit> limits) {
      List<Ledger> next = new ArrayList<>();
      for (Limit limit : limits) {
        next.add(
            ledgers.stream()
                .filter(ledger -> ledger.limit.sharesStateWith(limit))
                .findAny()
                .orElseGet(() -> Ledger.of(limit)));
        next.get(next.size() - 1).limit = limit;
      }
      ledgers = next;
    }
  }

  /**
   * A model in which nothing is charged yet.
   *
   * @param policy what is allowed
   * @param clock tells the time, such as a {@link ManualClock}
   */
  public Oracle(Policy policy, MicroClock clock) {
    this.policy = checked(policy);
    this.clock = Objects.requireNonNull(clock, "clock must not be null");
  }

  @Override
  public synchronized Decision tryAcquire(String key, long permits) {
    return tryAcquire(key, permits, policy.limitsFor(key));
  }

  private synchronized Decision tryAcquire(String key, long permits, List<Limit> limits) {
    Account account = account(key, permits, limits);
    long now = now(account);
    boolean fits = account.ledgers.stream().allMatch(ledger -> ledger.fits(now, permits));
    if (!fits) {
      return denied(account.ledgers, now, permits);
    }
    if (permits > 0) {
      account.ledgers.forEach(ledger -> ledger.charge(now, permits));
      account.newestMicros = now;
    }
    return allowed(account.ledgers, now);
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    return CompletableFuture.completedStage(tryAcquire(key, permits));
  }

  @Override
  public synchronized Decision refund(String key, long permits) {
    return refund(key, permits, policy.limitsFor(key));
  }

  private synchronized Decision refund(String key, long permits, List<Limit> limits) {
    Account account = account(key, permits, limits);
    long now = now(account);
    for (Ledger ledger : account.ledgers) {
      if (permits > 0 && ledger.used(now) > 0) {
        ledger.refund(now, permits);
        account.newestMicros = now;
      }
    }
    return tryAcquire(key, 0, limits);
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    return CompletableFuture.completedStage(refund(key, permits));
  }

  @Override
  public synchronized void reset(String key) {
    Bounds.checkKey(key);
    accounts.remove(key);
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    reset(key);
    return CompletableFuture.completedStage(null);
  }

  @Override
  public synchronized Policy policy() {
    return policy;
  }

  @Override
  public synchronized void changePolicy(Policy policy) {
    if (!policy.name().equals(this.policy.name())) {
      throw new IllegalArgumentException(
          "policy must have the name '"
              + this.policy.name()
              + "' to change it, was '"
              + policy.name()
              + "'");
    }
    this.policy = checked(policy);
  }

  @Override
  public MicroClock clock() {
    return clock;
  }

  @Override
  public RateLimiter under(List<Limit> limits) {
    return new LimitsView(
        this,
        new LimitsView.Decider() {
          @Override
          public Decision tryAcquire(String key, long permits, List<Limit> given) {
            return Oracle.this.tryAcquire(key, permits, given);
          }

          @Override
          public Decision refund(String key, long permits, List<Limit> given) {
            return Oracle.this.refund(key, permits, given);
          }
        },
        limits);
  }

  private static Policy checked(Policy policy) {
    Objects.requireNonNull(policy, "policy must not be null");
    if (policy.limits().isEmpty() && !policy.isTiered()) {
      throw new IllegalArgumentException("policy '" + policy.name() + "' must have a limit");
    }
    return policy;
  }

  private Account account(String key, long permits, List<Limit> limits) {
    Bounds.checkKey(key);
    Bounds.checkPermits(permits);
    Account account = accounts.computeIfAbsent(key, k -> new Account());
    account.putInForce(limits);
    return account;
  }

  /** Time never moves backwards for a key, never begins before 0, and ends at 2⁶². */
  private long now(Account account) {
    return Math.max(Math.min(clock.micros(), Ledger.LONGEST_WAIT), account.newestMicros);
  }

  private static Decision allowed(List<Ledger> ledgers, long now) {
    Ledger decides = ledgers.get(0);
    long fewest = Long.MAX_VALUE;
    for (Ledger ledger : ledgers) {
      long remaining = ledger.remaining(now);
      if (remaining < fewest) {
        decides = ledger;
        fewest = remaining;
      }
    }
    return Decision.allowed(
        decides.limit, decides.used(now), fewest, resetAfter(ledgers, now), Source.STORE);
  }

  private static Decision denied(List<Ledger> ledgers, long now, long permits) {
    Ledger decides = ledgers.get(0);
    long longest = 0;
    long fewest = Long.MAX_VALUE;
    for (Ledger ledger : ledgers) {
      long retryAfter = ledger.retryAfter(now, permits);
      if (retryAfter > longest) {
        decides = ledger;
        longest = retryAfter;
      }
      fewest = Math.min(fewest, ledger.remaining(now));
    }
    long used = decides.used(now);
    long resetAfter = resetAfter(ledgers, now);
    return longest == Ledger.NEVER
        ? Decision.impossible(decides.limit, used, fewest, resetAfter, Source.STORE)
        : Decision.denied(decides.limit, used, fewest, longest, resetAfter, Source.STORE);
  }

  private static long resetAfter(List<Ledger> ledgers, long now) {
    return ledgers.stream().mapToLong(ledger -> ledger.resetAfter(now)).max().orElseThrow();
  }
}
