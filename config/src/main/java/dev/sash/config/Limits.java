package dev.sash.config;

import dev.sash.Algorithm;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.config.internal.MappingFields;
import dev.sash.config.internal.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads limits in both their forms. */
final class Limits {
  static final Map<String, Algorithm> ALGORITHMS =
      Setting.choices(Algorithm.values(), Algorithm::id);
  static final long MOST_PERMITS = 1_000_000_000;
  static final String SHORTEST_WINDOW = "1ms";
  static final String LONGEST_WINDOW = "366d";

  private static final long MOST_CELLS = 1_000_000;
  private static final int MOST_LIMITS = 16;

  private Limits() {}

  /** Reads one limit, or a list of limits that differ in kind. */
  static @Nullable List<Limit> oneOrMore(Policy policy, Setting setting) {
    return setting.isList() ? several(policy, setting) : one(setting);
  }

  static @Nullable List<Limit> one(Setting setting) {
    Limit limit = limit(setting);
    return limit == null ? null : List.of(limit);
  }

  static @Nullable List<Limit> several(Policy policy, Setting setting) {
    List<Setting> elements = setting.elements("limit");
    if (setting.isList() && (elements.isEmpty() || elements.size() > MOST_LIMITS)) {
      setting.bad("must have between 1 and " + MOST_LIMITS + " limits, has " + elements.size());
      return null;
    }
    List<Limit> limits = new ArrayList<>();
    for (Setting element : elements) {
      Limit limit = limit(element);
      if (limit != null) {
        limits.add(limit);
      }
    }
    return limits.isEmpty() ? null : setting.check(() -> policy.withLimits(limits).limits());
  }

  private static @Nullable Limit limit(Setting setting) {
    if (setting.isMapping()) {
      return longForm(setting);
    }
    String text = setting.text("a limit such as 100/1m, or a mapping with permits and window");
    return text == null ? null : setting.check(() -> Limit.parse(text));
  }

  private static @Nullable Limit longForm(Setting setting) {
    MappingFields fields = setting.fields(Names.LIMIT.all());
    if (fields == null) {
      return null;
    }
    Long permits = fields.required("permits", s -> s.number(1, MOST_PERMITS));
    Duration window = fields.required("window", s -> s.duration(SHORTEST_WINDOW, LONGEST_WINDOW));
    Setting chosen = fields.get("algorithm");
    Algorithm algorithm = chosen == null ? Algorithm.SLIDING_LOG : chosen.oneOf(ALGORITHMS);
    if (permits == null || window == null || algorithm == null) {
      return null;
    }
    Limit plain = Limit.of(algorithm, permits, window);
    Limit divided = fields.optional("cells", s -> withCells(s, plain), plain);
    return fields.optional("capacity", s -> withCapacity(s, divided), divided);
  }

  private static @Nullable Limit withCells(Setting setting, Limit limit) {
    Long cells = setting.number(0, MOST_CELLS);
    return cells == null ? null : setting.check(() -> limit.withCells(cells.intValue()));
  }

  private static @Nullable Limit withCapacity(Setting setting, Limit limit) {
    Long capacity = setting.number(1, MOST_PERMITS);
    return capacity == null ? null : setting.check(() -> limit.withCapacity(capacity));
  }
}
