package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.internal.Bounds;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Remembers denials: whoever was denied n permits until some time is denied n or more until then,
 * and need not ask Redis for it. A key that is hammered costs Redis next to nothing.
 *
 * <p>A table of fixed size, each key in the one place that its hash gives, the latest denial wins:
 * it needs no cleaning and no lock, and whoever invents keys only makes it useless, not large.
 *
 * <p><b>What could make a denial untrue</b> before its time, and how long that lasts:
 *
 * <ul>
 *   <li>a refund or reset through this limiter: not at all. It raises the place's version before
 *       and after; a denial is only remembered if the version is still the one from before the
 *       question was sent;
 *   <li>other limits (a changed policy, another tier): not at all, they are compared;
 *   <li>a refund or reset by another process, or a Redis that has lost its state: at most {@code
 *       maxAge}.
 * </ul>
 *
 * <p>A denial ends at the latest {@code retryAfter} after the question was <em>sent</em>, which is
 * before Redis answered it: it is never believed for too long.
 */
final class DenyCache {
  private record Denial(
      String key,
      List<Limit> limits,
      long permits,
      Decision decision,
      long receivedMicros,
      long endMicros) {}

  private final MicroClock clock;
  private final long maxAgeMicros;
  private final AtomicReferenceArray<@Nullable Denial> denials;
  private final AtomicIntegerArray versions;

  /**
   * An empty cache.
   *
   * @param places how many keys fit, a power of two
   * @param maxAgeMicros how long a denial is believed at most; 0 remembers nothing
   */
  DenyCache(MicroClock clock, int places, long maxAgeMicros) {
    this.clock = clock;
    this.maxAgeMicros = maxAgeMicros;
    this.denials = new AtomicReferenceArray<>(places);
    this.versions = new AtomicIntegerArray(places);
  }

  /** The denial of such a request, if one is remembered that still holds. */
  @Nullable Decision find(String key, List<Limit> limits, long permits) {
    Denial denial = denials.get(place(key));
    if (denial == null
        || permits < denial.permits
        || !denial.key.equals(key)
        || !denial.limits.equals(limits)) {
      return null;
    }
    long now = clock.micros();
    return now < denial.endMicros ? laterBy(now - denial.receivedMicros, denial.decision) : null;
  }

  /** To be asked for before a question is sent, and given to {@link #remember} with its answer. */
  int version(String key) {
    return versions.get(place(key));
  }

  /**
   * Remembers a denial.
   *
   * @param sentMicros when the question was sent
   * @param version the {@link #version} of that time
   */
  void remember(
      String key,
      List<Limit> limits,
      long permits,
      Decision decision,
      long sentMicros,
      int version) {
    int place = place(key);
    if (maxAgeMicros == 0 || permits == 0 || versions.get(place) != version) {
      return;
    }
    long life = Math.min(maxAgeMicros, Bounds.microsCeil(decision.retryAfter()));
    Denial denial = new Denial(key, limits, permits, decision, clock.micros(), sentMicros + life);
    denials.set(place, denial);
    if (versions.get(place) != version) {
      denials.compareAndSet(place, denial, null); // forgotten in between
    }
  }

  /** Forgets what is remembered of a key, and what is being asked about it now. */
  void forget(String key) {
    int place = place(key);
    versions.incrementAndGet(place);
    denials.set(place, null);
  }

  private int place(String key) {
    int hash = key.hashCode() * 0x9E3779B9;
    return (hash ^ (hash >>> 15)) & (denials.length() - 1);
  }

  private static Decision laterBy(long micros, Decision denial) {
    long resetAfter = Math.max(0, Bounds.microsCeil(denial.resetAfter()) - micros);
    if (denial.neverAllowed()) {
      return Decision.impossible(
          denial.decidedBy(), denial.used(), denial.remaining(), resetAfter, Source.DENY_CACHE);
    }
    return Decision.denied(
        denial.decidedBy(),
        denial.used(),
        denial.remaining(),
        Bounds.microsCeil(denial.retryAfter()) - micros,
        resetAfter,
        Source.DENY_CACHE);
  }
}
