package dev.sash.store;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.internal.Bounds;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows about keys of a remote store: what was left when the store last answered,
 * and how many permits it has asked for since without an answer.
 *
 * <p>A table of fixed size, each key in the one place that its hash gives; the latest answer wins.
 * Permits without an answer are counted for each place, so that keys that share a place are taken
 * to have asked for those of the other as well. Beyond {@value #MAX_BYTES} bytes nothing is added.
 */
final class LastKnown {
  private static final int PLACES = 1 << 14;
  private static final long MAX_BYTES = 8L << 20;

  /**
   * An answer.
   *
   * @param remaining what was left under all limits
   * @param untilMicros when nothing will be charged any more
   */
  record Answer(String policy, String key, List<Limit> limits, long remaining, long untilMicros) {
    /** An estimate: the objects, and two bytes for every character. */
    long bytes() {
      return 96 + 2L * key.length();
    }

    boolean isAbout(ResolvedLimits asked, String otherKey) {
      return key.equals(otherKey)
          && policy.equals(asked.policy().name())
          && limits.equals(asked.limits());
    }
  }

  private final AtomicReferenceArray<@Nullable Answer> answers = new AtomicReferenceArray<>(PLACES);
  private final AtomicLongArray unanswered = new AtomicLongArray(PLACES);
  private final AtomicLong bytes = new AtomicLong();

  static int place(ResolvedLimits limits, String key) {
    int hash = (31 * limits.policy().name().hashCode() + key.hashCode()) * 0x9E3779B9;
    return (hash ^ (hash >>> 15)) & (PLACES - 1);
  }

  void sent(int place, long permits) {
    unanswered.addAndGet(place, permits);
  }

  /** To be called once for every {@link #sent}, whatever came of it. */
  void ended(int place, long permits) {
    unanswered.addAndGet(place, -permits);
  }

  /** Returns the permits that were asked for without an answer yet. */
  long unanswered(int place) {
    return unanswered.get(place);
  }

  /** Notes what the store has answered. */
  void answered(int place, ResolvedLimits limits, String key, Decision decision, long nowMicros) {
    Answer answer =
        new Answer(
            limits.policy().name(),
            key,
            limits.limits(),
            decision.remaining(),
            nowMicros + Bounds.microsCeil(decision.resetAfter()));
    put(place, bytes.get() + answer.bytes() > MAX_BYTES ? null : answer);
  }

  /** Forgets the last answer about a key, or about another one in its place. */
  void forget(int place) {
    put(place, null);
  }

  /** Returns the last answer about a key, as long as anything may still be charged. */
  @Nullable Answer answer(int place, ResolvedLimits limits, String key, long nowMicros) {
    Answer answer = answers.get(place);
    return answer != null && nowMicros < answer.untilMicros && answer.isAbout(limits, key)
        ? answer
        : null;
  }

  private void put(int place, @Nullable Answer answer) {
    Answer former = answers.getAndSet(place, answer);
    long change = (answer == null ? 0 : answer.bytes()) - (former == null ? 0 : former.bytes());
    if (change != 0) {
      bytes.addAndGet(change);
    }
  }
}
