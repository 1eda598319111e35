package dev.sash.http;

import dev.sash.http.internal.HttpSyntax;
import java.util.ArrayList;
import java.util.List;

/** Tests written as tables: a row per line, cells between bars; {@code -} is an empty cell. */
public final class Tables {
  private Tables() {}

  /** Returns the cells of each row. */
  public static List<List<String>> rows(String table) {
    List<List<String>> rows = new ArrayList<>();
    for (String line : table.lines().filter(text -> !text.isBlank()).toList()) {
      List<String> cells = new ArrayList<>();
      for (String cell : HttpSyntax.parts(line, '|')) {
        cells.add(cell.strip().equals("-") ? "" : cell.strip());
      }
      rows.add(cells);
    }
    return rows;
  }
}
