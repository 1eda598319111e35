package dev.sash.store;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.internal.Bounds;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Caches denials by a remote store: a key that was denied n permits until some time is denied n or
 * more until then without asking the store. A key that is hammered costs the store next to nothing.
 *
 * <p>A table of fixed size, each key in the one place that its hash gives, the latest denial wins:
 * it needs no cleaning and no lock. Inventing keys makes it useless, not large: beyond {@value
 * #MAX_BYTES} bytes nothing is added.
 *
 * <p><b>What could make a denial untrue</b> before its time, and how long that lasts:
 *
 * <ul>
 *   <li>a refund or reset through this cache: not at all. It raises the place's version before and
 *       after; a denial is only cached if the version is still the one from before the request was
 *       sent;
 *   <li>other limits (a changed policy, another tier): not at all, they are compared;
 *   <li>a refund or reset by another process, or a store that has lost its state: at most {@code
 *       maxAge}.
 * </ul>
 *
 * <p>A denial ends at the latest {@code retryAfter} after the request was <em>sent</em>, which is
 * before the store decided: it is never believed for too long.
 */
public final class DenyCache extends StoreDecorator {
  private static final int PLACES = 1 << 14;
  private static final long MAX_BYTES = 8L << 20;

  private record Denial(
      String policy,
      String key,
      List<Limit> limits,
      long permits,
      Decision decision,
      long receivedMicros,
      long endMicros) {
    /** An estimate: the objects, and two bytes for every character. */
    long bytes() {
      return 160 + 2L * key.length();
    }
  }

  private final long maxAgeMicros;
  private final AtomicReferenceArray<@Nullable Denial> denials;
  private final AtomicIntegerArray versions;
  private final AtomicLong bytes = new AtomicLong();

  /**
   * Creates an empty cache.
   *
   * @param store the store to ask otherwise
   * @param maxAgeMicros the longest time to believe a denial, in microseconds, more than 0
   */
  public DenyCache(Store store, long maxAgeMicros) {
    super(store);
    Bounds.check("maxAgeMicros", 1, Long.MAX_VALUE, maxAgeMicros);
    this.maxAgeMicros = maxAgeMicros;
    this.denials = new AtomicReferenceArray<>(PLACES);
    this.versions = new AtomicIntegerArray(PLACES);
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    int place = place(limits, key);
    if (operation == Operation.ACQUIRE) {
      Decision cached = find(place, limits, key, permits);
      if (cached != null) {
        return cached;
      }
    }
    Sent sent = send(operation, limits, key, permits, place);
    try {
      Decision decision = store.decide(operation, limits, key, permits);
      sent.answered(decision);
      return decision;
    } finally {
      sent.done();
    }
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    int place = place(limits, key);
    if (operation == Operation.ACQUIRE) {
      Decision cached = find(place, limits, key, permits);
      if (cached != null) {
        return CompletableFuture.completedFuture(cached);
      }
    }
    Sent sent = send(operation, limits, key, permits, place);
    return store
        .decideAsync(operation, limits, key, permits)
        .whenComplete(
            (decision, failure) -> {
              if (decision != null) {
                sent.answered(decision);
              }
              sent.done();
            });
  }

  /** Returns the denial of such a request, if one is cached that still holds. */
  private @Nullable Decision find(int place, ResolvedLimits limits, String key, long permits) {
    Denial denial = denials.get(place);
    if (denial == null
        || permits < denial.permits
        || !denial.key.equals(key)
        || !denial.policy.equals(limits.policy().name())
        || !denial.limits.equals(limits.limits())) {
      return null;
    }
    long now = clock().micros();
    return now < denial.endMicros
        ? later(denial.decision, now - denial.receivedMicros, limits, permits)
        : null;
  }

  /** No wait is promised to a request for more than a limit ever admits. */
  private static @Nullable Decision later(
      Decision denial, long micros, ResolvedLimits limits, long permits) {
    Decision later = Decisions.later(denial, micros, Source.DENY_CACHE);
    for (Limit limit : limits.limits()) {
      if (permits > limit.capacity()) {
        // Of another limit than the one that denied, the cache does not know what is used.
        return limit.equals(denial.decidedBy())
            ? Decisions.neverAllowed(
                limit,
                later.used(),
                later.remaining(),
                Bounds.microsCeil(later.resetAfter()),
                Source.DENY_CACHE)
            : null;
      }
    }
    return later;
  }

  private Sent send(
      Operation operation, ResolvedLimits limits, String key, long permits, int place) {
    boolean frees =
        operation == Operation.REFUND
            || operation == Operation.REFUND_LOCAL
            || operation == Operation.RESET;
    if (frees) {
      forget(place);
    }
    return new Sent(
        operation, limits, key, permits, place, frees, versions.get(place), clock().micros());
  }

  /** A request on its way. */
  private final class Sent {
    private final Operation operation;
    private final ResolvedLimits limits;
    private final String key;
    private final long permits;
    private final int place;
    private final boolean frees;
    private final int version;
    private final long sentMicros;

    Sent(
        Operation operation,
        ResolvedLimits limits,
        String key,
        long permits,
        int place,
        boolean frees,
        int version,
        long sentMicros) {
      this.operation = operation;
      this.limits = limits;
      this.key = key;
      this.permits = permits;
      this.place = place;
      this.frees = frees;
      this.version = version;
      this.sentMicros = sentMicros;
    }

    void answered(Decision decision) {
      if (operation != Operation.ACQUIRE
          || decision.allowed()
          || decision.neverAllowed()
          || decision.source() != Source.STORE
          || versions.get(place) != version) {
        return;
      }
      long life = Math.min(maxAgeMicros, Bounds.microsCeil(decision.retryAfter()));
      Denial denial =
          new Denial(
              limits.policy().name(),
              key,
              limits.limits(),
              permits,
              decision,
              clock().micros(),
              sentMicros + life);
      if (bytes.get() + denial.bytes() > MAX_BYTES) {
        forgetDenial(place);
        return;
      }
      put(place, denial);
      if (versions.get(place) != version && denials.compareAndSet(place, denial, null)) {
        bytes.addAndGet(-denial.bytes()); // forgotten in between
      }
    }

    /** What was denied between the two is not to be believed either. */
    void done() {
      if (frees) {
        forget(place);
      }
    }
  }

  /** Forgets what is cached of a key, and what is being asked about it now. */
  private void forget(int place) {
    versions.incrementAndGet(place);
    forgetDenial(place);
  }

  private void forgetDenial(int place) {
    put(place, null);
  }

  private void put(int place, @Nullable Denial denial) {
    Denial former = denials.getAndSet(place, denial);
    long change = (denial == null ? 0 : denial.bytes()) - (former == null ? 0 : former.bytes());
    if (change != 0) {
      bytes.addAndGet(change);
    }
  }

  private static int place(ResolvedLimits limits, String key) {
    int hash = (31 * limits.policy().name().hashCode() + key.hashCode()) * 0x9E3779B9;
    return (hash ^ (hash >>> 15)) & (PLACES - 1);
  }
}
