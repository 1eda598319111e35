package dev.sash.server.statistics;

import dev.sash.Decision;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of the decisions of this process: by policy the counts over time, the keys that spend
 * and are denied most, and what keys use of the limit; and the last denials. Thread-safe.
 *
 * <p><b>Memory.</b> All of it is bounded. The first {@link #detailed} policies have details, at
 * most 190 kB each; the next ones, up to {@link #MOST_POLICIES} in all, have sums, at most 3 kB
 * each; what comes after counts in the total alone. A policy without a decision for 24 hours makes
 * room. With the default of 256 policies with details that is at most 80 MB, and usually far less,
 * since it takes thousands of keys with long names to get there; on a small heap there are fewer.
 *
 * <p><b>Cost.</b> Recording a decision writes it to a buffer of the calling thread and a few
 * others. A full buffer is emptied into the statistics by the thread that filled it, unless another
 * thread is doing the same or reading; then it is left to grow. So no thread ever waits for
 * another. A reader sees everything that was recorded before.
 */
public final class Statistics {
  /** The most policies that are counted by name. */
  public static final int MOST_POLICIES = 10_000;

  private static final int MOST_DETAILED = 256;
  private static final int FEWEST_DETAILED = 16;
  private static final int DETAIL_BYTES = 190_000;
  private static final int MOST_BUFFERS = 16;
  private static final long FORGET_MILLIS = 24 * 3_600_000L;
  private static final long SWEEP_MILLIS = 60_000;

  private final KeyMode keys;
  private final KeyHash hash;
  private final InstantSource clock;
  private final int detailed;
  private final EventBuffer[] buffers;
  private final AtomicInteger threads = new AtomicInteger();
  private final ThreadLocal<EventBuffer> buffer;

  /** Guards everything below. */
  private final ReentrantLock lock = new ReentrantLock();

  private final TimeSeries total = TimeSeries.detailed();
  private final Map<String, PolicyStatistics> policies = new HashMap<>();
  private final RecentDenials denials = new RecentDenials();
  private int withDetail;
  private long nextSweepMillis;

  /**
   * Creates statistics without decisions.
   *
   * @param keys what is kept of keys
   * @param clock the time
   */
  public Statistics(KeyMode keys, InstantSource clock) {
    this(keys, clock, KeyHash.random(), detailed(Runtime.getRuntime().maxMemory()));
  }

  Statistics(KeyMode keys, InstantSource clock, KeyHash hash, int detailed) {
    this.keys = Objects.requireNonNull(keys, "keys must not be null");
    this.clock = Objects.requireNonNull(clock, "clock must not be null");
    this.hash = hash;
    this.detailed = detailed;
    int processors = Runtime.getRuntime().availableProcessors();
    this.buffers = new EventBuffer[Math.min(MOST_BUFFERS, 2 * processors)];
    for (int i = 0; i < buffers.length; i++) {
      buffers[i] = new EventBuffer();
    }
    this.buffer =
        ThreadLocal.withInitial(
            () -> buffers[Math.floorMod(threads.getAndIncrement(), buffers.length)]);
  }

  /** An eighth of the heap is the most that details may take. */
  static int detailed(long maxHeapBytes) {
    long fit = maxHeapBytes / 8 / DETAIL_BYTES;
    return (int) Math.max(FEWEST_DETAILED, Math.min(MOST_DETAILED, fit));
  }

  /**
   * Returns the most policies with details.
   *
   * @return 16 to 256, depending on the heap
   */
  public int detailed() {
    return detailed;
  }

  /**
   * Records a decision by the limits of a policy.
   *
   * @param policy the policy's name
   * @param shadow whether the request is admitted even if it was denied
   * @param key the key of the request
   * @param permits the permits of the request
   * @param decision the decision
   */
  public void record(String policy, boolean shadow, String key, long permits, Decision decision) {
    record(policy, shadow, true, key, permits, decision);
  }

  /**
   * Records a decision that did not depend on limits: the key is on a list, the policy is off, or
   * nothing is ever allowed.
   *
   * @param policy the policy's name
   * @param shadow whether the request is admitted even if it was denied
   * @param key the key of the request
   * @param permits the permits of the request
   * @param decision the decision
   */
  public void recordListed(
      String policy, boolean shadow, String key, long permits, Decision decision) {
    record(policy, shadow, false, key, permits, decision);
  }

  private void record(
      String policy, boolean shadow, boolean counted, String key, long permits, Decision decision) {
    long id = hash.of(key);
    EventBuffer own = buffer.get();
    boolean enough =
        own.add(
            policy, shadow, counted, keys.label(key, id), id, permits, clock.millis(), decision);
    if (enough && lock.tryLock()) {
      try {
        own.empty(this::add);
      } finally {
        lock.unlock();
      }
    }
  }

  private void add(Event event) {
    PolicyStatistics.count(total, event);
    PolicyStatistics policy = policy(event);
    if (policy != null) {
      policy.add(event);
    }
    Decision decision = event.decision();
    if (!decision.allowed()) {
      denials.add(
          new Denial(
              event.timeMillis,
              event.policy,
              event.isCounted ? decision.decidedBy() : null,
              event.label,
              event.permits,
              decision.used(),
              decision.retryAfterMicros(),
              event.shadow));
    }
  }

  private @Nullable PolicyStatistics policy(Event event) {
    PolicyStatistics known = policies.get(event.policy);
    if (known != null) {
      return known;
    }
    sweep(event.timeMillis);
    if (policies.size() == MOST_POLICIES) {
      return null;
    }
    boolean withKeys = withDetail < detailed;
    withDetail += withKeys ? 1 : 0;
    PolicyStatistics created = new PolicyStatistics(event.policy, withKeys);
    policies.put(event.policy, created);
    return created;
  }

  /** Forgets policies of which nothing is left, if any, and if that was not just done. */
  private void sweep(long nowMillis) {
    if (nowMillis < nextSweepMillis) {
      return;
    }
    nextSweepMillis = nowMillis + SWEEP_MILLIS;
    policies.values().removeIf(policy -> policy.lastMillis() <= nowMillis - FORGET_MILLIS);
    withDetail = (int) policies.values().stream().filter(PolicyStatistics::isDetailed).count();
  }

  /**
   * Moves what was recorded from the buffers into the statistics, so that what stands there is not
   * older than this. To be called now and then; may take some milliseconds.
   */
  public void drain() {
    read(() -> true);
  }

  private <T> T read(Supplier<T> reader) {
    lock.lock();
    try {
      for (EventBuffer each : buffers) {
        each.empty(this::add);
      }
      return reader.get();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the counts of all policies together.
   *
   * @return as of now
   */
  public PolicyCounts total() {
    return read(() -> PolicyCounts.of("", false, total, clock.millis()));
  }

  /**
   * Returns the counts by policy.
   *
   * @return those with the most denials of the last hour first, those that would be in shadow mode
   *     included; then those with the most requests; then by name
   */
  public List<PolicyCounts> policies() {
    List<PolicyCounts> counts =
        read(
            () -> {
              long now = clock.millis();
              List<PolicyCounts> all = new ArrayList<>(policies.size());
              policies.values().forEach(policy -> all.add(policy.counts(now)));
              return all;
            });
    counts.sort(PolicyCounts.ORDER);
    return counts;
  }

  /**
   * Returns the counts of a policy.
   *
   * @param policy the policy's name
   * @return null if it decided nothing in the last 24 hours
   */
  public @Nullable PolicyCounts counts(String policy) {
    return read(
        () -> {
          PolicyStatistics known = policies.get(policy);
          return known == null ? null : known.counts(clock.millis());
        });
  }

  /**
   * Returns everything that is known of a policy.
   *
   * @param policy the policy's name
   * @return null if there are no details
   */
  public @Nullable PolicyDetail detail(String policy) {
    return read(
        () -> {
          PolicyStatistics known = policies.get(policy);
          return known == null ? null : known.detail(clock.millis());
        });
  }

  /**
   * Returns the latest denials.
   *
   * @param policy the policy's name; null for all
   * @param most the most to return
   * @return the latest first
   */
  public List<Denial> denials(@Nullable String policy, int most) {
    return read(() -> denials.latest(policy, most));
  }

  /**
   * Returns what is kept of keys.
   *
   * @return never changes
   */
  public KeyMode keys() {
    return keys;
  }

  /**
   * Returns the number of decisions that are missing, because they came faster than they could be
   * counted.
   *
   * @return since the process started
   */
  public long lost() {
    long lost = 0;
    for (EventBuffer each : buffers) {
      lost += each.lost();
    }
    return lost;
  }
}
