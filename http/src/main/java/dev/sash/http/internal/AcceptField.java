package dev.sash.http.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The {@code Accept} field: how much a client likes a media type. */
public final class AcceptField {
  private static final int MOST = 1000;

  /**
   * @param thousandths the weight, 0 to 1000
   */
  private record Range(String type, String subtype, int thousandths) {
    /** How exactly it names the type: 0 not at all, 3 exactly. */
    int precision(String otherType, String otherSubtype) {
      if (type.equals("*")) {
        return subtype.equals("*") ? 1 : 0;
      }
      if (!type.equals(otherType)) {
        return 0;
      }
      return subtype.equals("*") ? 2 : subtype.equals(otherSubtype) ? 3 : 0;
    }
  }

  private final List<Range> ranges = new ArrayList<>();

  /** What cannot be read is left out; a field in which nothing can be read accepts everything. */
  public AcceptField(List<String> lines) {
    for (String line : lines) {
      for (String element : HttpSyntax.parts(line, ',')) {
        read(element);
      }
    }
    if (ranges.isEmpty()) {
      ranges.add(new Range("*", "*", MOST));
    }
  }

  private void read(String element) {
    List<String> parts = HttpSyntax.parts(element, ';');
    String name = parts.get(0).strip().toLowerCase(Locale.ROOT);
    int slash = name.indexOf('/');
    int thousandths = MOST;
    for (String parameter : parts.subList(1, parts.size())) {
      String text = parameter.strip().toLowerCase(Locale.ROOT);
      thousandths = text.startsWith("q=") ? weight(text.substring(2)) : thousandths;
    }
    if (slash > 0
        && thousandths >= 0
        && HttpSyntax.isToken(name.substring(0, slash))
        && HttpSyntax.isToken(name.substring(slash + 1))) {
      ranges.add(new Range(name.substring(0, slash), name.substring(slash + 1), thousandths));
    }
  }

  /** The thousandths of 0 to 1 with at most three decimals, or -1. */
  private static int weight(String text) {
    int dot = text.indexOf('.');
    long whole = HttpSyntax.number(dot < 0 ? text : text.substring(0, dot));
    String decimals = dot < 0 ? "" : text.substring(dot + 1);
    if (whole < 0 || whole > 1 || decimals.length() > 3) {
      return -1;
    }
    long thousandths = whole * MOST + HttpSyntax.number((decimals + "000").substring(0, 3));
    boolean digits = decimals.isEmpty() || HttpSyntax.number(decimals) >= 0;
    return digits && thousandths <= MOST ? (int) thousandths : -1;
  }

  /** The weight that the range naming the type most exactly gives it. */
  public int weightOf(String type, String subtype) {
    int best = 0;
    int weight = 0;
    for (Range range : ranges) {
      int precision = range.precision(type, subtype);
      if (precision > best) {
        best = precision;
        weight = range.thousandths;
      }
    }
    return weight;
  }
}
