package dev.sash.config.internal;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What somebody meant who wrote a name that there is not. */
public final class Suggestion {
  private static final int LONGEST = 40;

  private Suggestion() {}

  /**
   * For the end of a message: a question, or nothing if no name is near.
   *
   * @param found the name that there is not
   * @param allowed the names that there are
   * @return for example {@code ; did you mean 'limit'?}
   */
  public static String after(String found, Collection<String> allowed) {
    String nearest = nearest(found, allowed);
    return nearest == null ? "" : "; did you mean '" + nearest + "'?";
  }

  /**
   * The allowed name with the fewest slips of the finger to the one found, at most a third of it.
   */
  static @Nullable String nearest(String found, Collection<String> allowed) {
    if (found.length() > LONGEST) {
      return null;
    }
    String plain = plain(found);
    String nearest = null;
    int least = Integer.MAX_VALUE;
    for (String name : allowed) {
      int distance = distance(plain, plain(name));
      if (distance < least && distance <= Math.max(1, name.length() / 3)) {
        nearest = name;
        least = distance;
      }
    }
    return nearest;
  }

  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Characters to insert, delete, replace or swap with their neighbour: the distance of optimal
   * string alignment, by rows of its table.
   */
  private static int distance(String a, String b) {
    int[] beforeLast = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] oldest = beforeLast;
      beforeLast = last;
      last = row;
      row = oldest;
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(row[j - 1], last[j]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          row[j] = Math.min(row[j], 1 + beforeLast[j - 2]);
        }
      }
    }
    return row[b.length()];
  }
}
