package dev.sash.memory;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.internal.Bounds;
import dev.sash.internal.limiter.LimitsView;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A limiter whose state lives in the heap. Made by {@link InMemoryStore#limiter}.
 *
 * <p>Keys are spread over segments, each a small hash table under a lock of its own that is held
 * for some ten nanoseconds. The clock is read before the lock is taken: a request that had to wait
 * for the lock is dated to when it came, or to the newest admission of its key if that is later.
 */
public final class InMemoryLimiter implements RateLimiter {
  private static final Logger LOG = LoggerFactory.getLogger(InMemoryLimiter.class);
  private static final int MAX_SEGMENTS = 64;
  private static final int MIN_KEYS_PER_SEGMENT = 1024;
  private static final long SWEEP_PAUSE_MICROS = 1_000_000;
  private static final int SWEEPS_PER_ROUND = 30;
  private static final int BUCKETS_PER_LOCK = 64;

  /** Far beyond any clock, and far enough from overflow. */
  private static final long END_OF_TIME = 1L << 62;

  private final MicroClock clock;
  private final int maxKeys;
  private final Segment[] segments;
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final AtomicBoolean saidFull = new AtomicBoolean();

  /** The policy in force, and what holds for every key if it has no tiers. */
  private volatile Terms terms;

  InMemoryLimiter(Policy policy, MicroClock clock, int maxKeys) {
    this.terms = commonTerms(policy);
    this.clock = clock;
    this.maxKeys = maxKeys;
    int count = Math.max(1, Math.min(MAX_SEGMENTS, maxKeys / MIN_KEYS_PER_SEGMENT));
    this.segments = new Segment[Integer.highestOneBit(count)];
    Arrays.setAll(segments, i -> new Segment(this, (maxKeys + i) / segments.length));
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    Bounds.checkKey(key);
    Bounds.checkPermits(permits);
    int hash = hash(key);
    Segment segment = segment(hash);
    Decision decision;
    do {
      decision = segment.decide(key, hash, termsFor(key), now(), permits);
    } while (decision == null);
    return decision;
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    return CompletableFuture.completedFuture(tryAcquire(key, permits));
  }

  @Override
  public Decision refund(String key, long permits) {
    Bounds.checkKey(key);
    Bounds.checkPermits(permits);
    int hash = hash(key);
    Segment segment = segment(hash);
    Decision decision;
    do {
      decision = segment.refund(key, hash, termsFor(key), now(), permits);
    } while (decision == null);
    return decision;
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    return CompletableFuture.completedFuture(refund(key, permits));
  }

  @Override
  public void reset(String key) {
    Bounds.checkKey(key);
    int hash = hash(key);
    segment(hash).reset(key, hash);
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    reset(key);
    return CompletableFuture.completedStage(null);
  }

  @Override
  public Policy policy() {
    return terms.policy();
  }

  @Override
  public void changePolicy(Policy policy) {
    String name = policy().name();
    if (!policy.name().equals(name)) {
      throw new IllegalArgumentException(
          "policy must have the name '" + name + "' to change it, was '" + policy.name() + "'");
    }
    terms = commonTerms(policy);
  }

  @Override
  public MicroClock clock() {
    return clock;
  }

  @Override
  public RateLimiter under(List<Limit> limits) {
    return new LimitsView(this, new ByGivenLimits(), limits);
  }

  /**
   * How many keys are held now: those with something charged, and those not cleaned up yet.
   *
   * @return 0 to the store's maximum
   */
  public int keys() {
    return Arrays.stream(segments).mapToInt(Segment::size).sum();
  }

  private static Terms commonTerms(Policy policy) {
    Objects.requireNonNull(policy, "policy must not be null");
    if (policy.limits().isEmpty() && !policy.isTiered()) {
      throw new IllegalArgumentException("policy '" + policy.name() + "' must have a limit");
    }
    return Terms.of(policy, policy.limits());
  }

  /** The policy in force, and what holds for every key if it has no tiers. */
  Terms termsInForce() {
    return terms;
  }

  private Terms termsFor(String key) {
    Terms common = terms;
    Policy policy = common.policy();
    return policy.isTiered() ? Terms.of(policy, policy.limitsFor(key)) : common;
  }

  private long now() {
    return Math.min(clock.micros(), END_OF_TIME);
  }

  private final class ByGivenLimits implements LimitsView.Decider {
    @Override
    public Decision tryAcquire(String key, long permits, List<Limit> limits) {
      Bounds.checkKey(key);
      Bounds.checkPermits(permits);
      int hash = hash(key);
      Segment segment = segment(hash);
      Decision decision;
      do {
        decision = segment.decide(key, hash, Terms.of(policy(), limits), now(), permits);
      } while (decision == null);
      return decision;
    }

    @Override
    public Decision refund(String key, long permits, List<Limit> limits) {
      Bounds.checkKey(key);
      Bounds.checkPermits(permits);
      int hash = hash(key);
      Segment segment = segment(hash);
      Decision decision;
      do {
        decision = segment.refund(key, hash, Terms.of(policy(), limits), now(), permits);
      } while (decision == null);
      return decision;
    }
  }

  /** High bits choose the segment, low bits the bucket. */
  private Segment segment(int hash) {
    return segments[(hash >>> 24) & (segments.length - 1)];
  }

  private static int hash(String key) {
    int hash = key.hashCode() * 0x9E3779B9;
    return hash ^ (hash >>> 15);
  }

  /** Called under a segment's lock. */
  void onNewKey() {
    if (!sweeping.get() && sweeping.compareAndSet(false, true)) {
      soon(() -> sweepLater(new WeakReference<>(this), clock, 0));
    }
  }

  /** Called under a segment's lock. */
  void onFull() {
    if (saidFull.compareAndSet(false, true)) {
      soon(
          () ->
              LOG.warn(
                  "policy '{}' is full at {} keys: new keys share a limit until others are idle",
                  policy().name(),
                  maxKeys));
    }
  }

  /** Hands on what must not be done under a lock. */
  private static void soon(Runnable task) {
    logFailureOf(CompletableFuture.runAsync(task));
  }

  private static void logFailureOf(CompletableFuture<Void> task) {
    var unused =
        task.exceptionally(
            failure -> {
              LOG.warn("sweeping idle keys failed", failure);
              return null;
            });
  }

  /** Sweeps on as long as there are keys and the limiter is in use; between sweeps it may go. */
  private static void sweepLater(
      WeakReference<InMemoryLimiter> reference, MicroClock clock, int firstSegment) {
    Runnable sweep =
        () -> {
          InMemoryLimiter limiter = reference.get();
          if (limiter != null) {
            int next = limiter.sweep(firstSegment, limiter.segmentsPerSweep());
            if (limiter.hasKeysToSweep()) {
              sweepLater(reference, clock, next);
            }
          }
        };
    logFailureOf(clock.after(SWEEP_PAUSE_MICROS).thenRunAsync(sweep));
  }

  private int segmentsPerSweep() {
    return (segments.length + SWEEPS_PER_ROUND - 1) / SWEEPS_PER_ROUND;
  }

  private boolean hasKeysToSweep() {
    if (keys() > 0) {
      return true;
    }
    sweeping.set(false);
    return keys() > 0 && sweeping.compareAndSet(false, true);
  }

  /** Drops the idle keys of some segments, and tells with which segment to go on. */
  int sweep(int firstSegment, int count) {
    for (int i = 0; i < count; i++) {
      Segment segment = segments[(firstSegment + i) % segments.length];
      for (int left = segment.buckets(); left > 0; left -= BUCKETS_PER_LOCK) {
        segment.sweep(now(), BUCKETS_PER_LOCK);
      }
    }
    return (firstSegment + count) % segments.length;
  }

  /** Drops the idle keys of all segments. */
  void sweepAll() {
    sweep(0, segments.length);
  }
}
