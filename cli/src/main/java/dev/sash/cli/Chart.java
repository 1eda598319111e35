package dev.sash.cli;

/**
 * A line of usage over time, one character per slice of time: the highest usage in that slice,
 * scaled so that the tallest level is the limit. What is over the limit has a mark of its own.
 *
 * @param none for no usage at all
 * @param levels from the least usage to the limit
 * @param over for more than the limit
 */
record Chart(char none, String levels, char over) {
  static final Chart BLOCKS = new Chart('·', "▁▂▃▄▅▆▇█", '▲');
  static final Chart ASCII = new Chart('_', ".:-=+*%#", '!');

  String draw(Moments spent, long limit, long window, long slice, int columns) {
    StringBuilder line = new StringBuilder(columns);
    for (int column = 0; column < columns; column++) {
      long from = column * slice;
      line.append(mark(spent.worstUsage(from, from + slice, window), limit));
    }
    return line.toString();
  }

  private char mark(int usage, long limit) {
    if (usage == 0) {
      return none;
    }
    if (usage > limit) {
      return over;
    }
    // Rounded up: the least usage shows, and only what is near the limit looks full.
    return levels.charAt((int) ((usage * (long) levels.length() + limit - 1) / limit) - 1);
  }
}
