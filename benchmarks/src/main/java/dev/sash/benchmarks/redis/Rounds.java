package dev.sash.benchmarks.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What was measured of each case, once in every round. The median of the rounds counts: a pause of
 * the machine spoils one round, not the median.
 */
final class Rounds<T> {
  private final Map<List<Object>, List<T>> samples = new HashMap<>();

  /** Adds one of a case. */
  void add(T sample, Object... of) {
    samples.computeIfAbsent(List.of(of), key -> new ArrayList<>()).add(sample);
  }

  /** The median of some figure of a case; NaN if there is no sample of it. */
  double median(ToDoubleFunction<T> figure, Object... of) {
    return median(
        samples.getOrDefault(List.of(of), List.of()).stream().mapToDouble(figure).toArray());
  }

  /** Another one first in every round: the same one would always come after the same other. */
  static <C> List<C> order(Collection<C> contenders, int round) {
    List<C> order = new ArrayList<>(contenders);
    Collections.rotate(order, round);
    return order;
  }

  static double median(double... numbers) {
    if (numbers.length == 0) {
      return Double.NaN;
    }
    double[] sorted = numbers.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
