package dev.sash.server.statistics;

import java.util.Arrays;

/**
 * How much of a limit its keys use at most: whether the limit is too low, or higher than anybody
 * needs. Not thread-safe.
 *
 * <p>It keeps a uniform sample of the keys, with the peak of each: the {@code k} keys whose hashes
 * are the least (bottom-k). The hash depends on a secret, so that nobody can choose keys that are
 * sampled. Sketches of one secret sample the same keys, and can be merged.
 *
 * <p>Up to {@code k} keys everything is exact. Beyond, let the k-th least hash be a share {@code u}
 * of the range of hashes; then there are about {@code (k - 1) / u} keys, with a standard error of
 * {@code 1 / sqrt(k - 2)}: for the {@link #SAMPLE} of 512, 4.4 %. A share {@code p} of the keys has
 * a standard error of {@code sqrt(p (1 - p) / k)}, at most 2.2 percentage points. In 95 of 100
 * cases the true values are within twice that; {@link #KEYS_ERROR} and {@link #SHARE_ERROR} are
 * four times that, which practically always holds.
 */
public final class PeakUse {
  /** The number of keys in the sample. */
  public static final int SAMPLE = 512;

  /** The relative error of {@link Summary#keys} that is practically never exceeded. */
  public static final double KEYS_ERROR = 4 / Math.sqrt(SAMPLE - 2);

  /** The error of shares that is practically never exceeded. */
  public static final double SHARE_ERROR = 4 * 0.5 / Math.sqrt(SAMPLE);

  /** Set in a peak if the key was denied. */
  private static final int DENIED = 0x4000;

  private static final int MOST_PERCENT = 0x3fff;
  private static final double RANGE = 0x1p64;

  /** The hashes in the sample, flipped so that signed order is unsigned order; sorted. */
  private long[] hashes = new long[8];

  private short[] peaks = new short[8];
  private int size;

  /** Whether a key was left out: otherwise there are exactly as many as in the sample. */
  private boolean sampled;

  /**
   * What the keys use.
   *
   * @param keys the number of keys; an estimate if there are more than {@link #SAMPLE}
   * @param denied the number of keys that were denied at least once, likewise
   * @param exact whether the numbers are exact
   * @param above50 the share of keys that used more than half of the limit, 0 to 1
   * @param above80 the share of keys that used more than 80 %
   * @param above100 the share of keys that were denied at least once
   */
  public record Summary(
      long keys, long denied, boolean exact, double above50, double above80, double above100) {}

  /**
   * Records the use of a key.
   *
   * @param hash the hash of the key
   * @param used what is charged to the key
   * @param limit the most that fits, 1 or more
   * @param denied whether the request was denied; counts as all of the limit
   */
  public void add(long hash, long used, long limit, boolean denied) {
    // Rounded up: more than half is more than 50.
    int percent = (int) Math.min(MOST_PERCENT, (used * 100 + limit - 1) / limit);
    add(hash ^ Long.MIN_VALUE, percent | (denied ? DENIED : 0));
  }

  private void add(long flipped, int peak) {
    if (size == SAMPLE && flipped > hashes[size - 1]) {
      sampled = true;
      return;
    }
    int at = Arrays.binarySearch(hashes, 0, size, flipped);
    if (at >= 0) {
      peaks[at] = (short) higher(peaks[at], peak);
      return;
    }
    insert(-at - 1, flipped, peak);
  }

  private void insert(int at, long flipped, int peak) {
    if (size == SAMPLE) {
      sampled = true;
      size--;
    } else if (size == hashes.length) {
      hashes = Arrays.copyOf(hashes, Math.min(SAMPLE, size * 2));
      peaks = Arrays.copyOf(peaks, hashes.length);
    }
    System.arraycopy(hashes, at, hashes, at + 1, size - at);
    System.arraycopy(peaks, at, peaks, at + 1, size - at);
    hashes[at] = flipped;
    peaks[at] = (short) peak;
    size++;
  }

  private static int higher(int a, int b) {
    return Math.max(a & MOST_PERCENT, b & MOST_PERCENT) | ((a | b) & DENIED);
  }

  /**
   * Adds another sketch to this one: keys that both have seen count once, with the higher peak.
   *
   * @param other with hashes of the same secret; not changed
   */
  public void add(PeakUse other) {
    for (int i = 0; i < other.size; i++) {
      add(other.hashes[i], other.peaks[i]);
    }
    sampled |= other.sampled;
  }

  /**
   * Returns what the keys use.
   *
   * @return as of now
   */
  public Summary summary() {
    long keys = keys();
    double denied = share(DENIED);
    return new Summary(keys, Math.round(denied * keys), !sampled, share(50), share(80), denied);
  }

  private long keys() {
    if (!sampled || size < 2) {
      return size;
    }
    double range = (double) hashes[size - 1] - (double) Long.MIN_VALUE + 1;
    return Math.round((size - 1) * (RANGE / range));
  }

  /** The share of keys with a higher peak; with {@link #DENIED}, of those that were denied. */
  private double share(int percent) {
    int above = 0;
    for (int i = 0; i < size; i++) {
      boolean denied = (peaks[i] & DENIED) != 0;
      above += denied || (peaks[i] & MOST_PERCENT) > percent ? 1 : 0;
    }
    return size == 0 ? 0 : (double) above / size;
  }
}
