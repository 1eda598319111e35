package dev.sash.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What was measured of each case, once in every round. The median of the rounds counts: a pause of
 * the machine spoils one round, not the median.
 */
public final class Rounds<T> {
  private final Map<List<Object>, List<T>> samples = new HashMap<>();

  /** Without any sample. */
  public Rounds() {}

  /** Adds one of a case. */
  public void add(T sample, Object... of) {
    samples.computeIfAbsent(List.of(of), key -> new ArrayList<>()).add(sample);
  }

  /** The median of some figure of a case; NaN if there is no sample of it. */
  public double median(ToDoubleFunction<T> figure, Object... of) {
    return median(
        samples.getOrDefault(List.of(of), List.of()).stream().mapToDouble(figure).toArray());
  }

  /** The sum of some figure of a case, over all rounds. */
  public double sum(ToDoubleFunction<T> figure, Object... of) {
    return samples.getOrDefault(List.of(of), List.of()).stream().mapToDouble(figure).sum();
  }

  /**
   * The median of what two cases were to each other in each round: closer than the medians of each,
   * since one round sees the machine in one mood.
   *
   * @param relation of the first case to the other, such as their ratio
   */
  public double median(
      DoubleBinaryOperator relation, ToDoubleFunction<T> figure, Object a, Object b) {
    List<T> first = samples.getOrDefault(List.of(a), List.of());
    List<T> other = samples.getOrDefault(List.of(b), List.of());
    return median(
        IntStream.range(0, Math.min(first.size(), other.size()))
            .mapToDouble(
                i ->
                    relation.applyAsDouble(
                        figure.applyAsDouble(first.get(i)), figure.applyAsDouble(other.get(i))))
            .toArray());
  }

  /** Another one first in every round: the same one would always come after the same other. */
  public static <C> List<C> order(Collection<C> contenders, int round) {
    List<C> order = new ArrayList<>(contenders);
    Collections.rotate(order, round);
    return order;
  }

  /** Forth and back in turn: whatever changes steadily meanwhile spoils everybody alike. */
  public static <C> List<C> forthAndBack(Collection<C> contenders, int round) {
    List<C> order = new ArrayList<>(contenders);
    if (round % 2 == 1) {
      Collections.reverse(order);
    }
    return order;
  }

  /** The one in the middle, or between the middle two; NaN if there is none. */
  public static double median(double... numbers) {
    if (numbers.length == 0) {
      return Double.NaN;
    }
    double[] sorted = numbers.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
