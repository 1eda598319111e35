package dev.sash.spring.web;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Statuses of responses, as properties say them: {@code 401}, {@code 4xx}, {@code 400-403}. */
final class Statuses implements IntPredicate {
  private static final Pattern ONE = Pattern.compile("([1-5][0-9]{2})(?:-([1-5][0-9]{2}))?");
  private static final Pattern CLASS = Pattern.compile("([1-5])xx", Pattern.CASE_INSENSITIVE);

  private final List<int[]> ranges = new ArrayList<>();

  /**
   * @throws IllegalArgumentException if one cannot be read
   */
  Statuses(List<String> texts) {
    for (String text : texts) {
      ranges.add(range(text.strip()));
    }
  }

  private static int[] range(String text) {
    Matcher group = CLASS.matcher(text);
    if (group.matches()) {
      int first = Integer.parseInt(group.group(1)) * 100;
      return new int[] {first, first + 99};
    }
    Matcher one = ONE.matcher(text);
    if (one.matches()) {
      int first = Integer.parseInt(one.group(1));
      int last = one.group(2) == null ? first : Integer.parseInt(one.group(2));
      if (first <= last) {
        return new int[] {first, last};
      }
    }
    throw new IllegalArgumentException(
        "status must be like 401, 4xx or 400-403, was '" + text + "'");
  }

  @Override
  public boolean test(int status) {
    return ranges.stream().anyMatch(range -> range[0] <= status && status <= range[1]);
  }
}
