package dev.sash.config.internal;

import dev.sash.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A value in a file, and its name there. Reading it as something that it is not returns null and
 * adds a problem with its place. Readers go on after a problem, so that all mistakes of a file are
 * reported at once.
 */
public final class Setting {
  private static final Pattern WHOLE_NUMBER = Pattern.compile("-?(0|[1-9][0-9]*(_[0-9]+)*)");

  /** In digits; as text with as many underscores again. More would cost the pattern its stack. */
  private static final int LONGEST_NUMBER = 18;

  private static final Pattern FLAG = Pattern.compile("(?i)true|false");

  /** Of bounded length, so that the pattern needs little stack and the number is finite. */
  private static final Pattern DECIMAL =
      Pattern.compile("[-+]?(\\d{1,100}(\\.\\d{0,100})?|\\.\\d{1,100})([eE][-+]?\\d{1,2})?");

  private static final int LONGEST_SHOWN = 60;

  private final String name;
  private final Node key;
  private final Node node;
  private final ProblemSink problems;

  private Setting(String name, Node key, Node node, ProblemSink problems) {
    this.name = name;
    this.key = key;
    this.node = node;
    this.problems = problems;
  }

  static Setting root(Node node, ProblemSink problems) {
    return new Setting("the file", node, node, problems);
  }

  /** The choices by how files write them. */
  public static <T> Map<String, T> choices(T[] values, Function<T, String> id) {
    Map<String, T> choices = new LinkedHashMap<>();
    for (T value : values) {
      choices.put(id.apply(value), value);
    }
    return choices;
  }

  /** How files write an enum's constant: {@code all-or-nothing}. */
  public static String idOf(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns whether it is a mapping. */
  public boolean isMapping() {
    return node instanceof MappingNode;
  }

  /** Returns whether it is a list. */
  public boolean isList() {
    return node instanceof SequenceNode;
  }

  /** Returns whether it is null, or no value stands behind the colon. */
  public boolean isNothing() {
    return node instanceof ScalarNode && node.getTag().equals(Tag.NULL);
  }

  /** Returns whether it is a mapping with this name. */
  public boolean has(String field) {
    return node instanceof MappingNode mapping
        && mapping.getValue().stream().anyMatch(entry -> textOf(entry.getKeyNode()).equals(field));
  }

  /** What stands in front of the colon. */
  public String key() {
    return textOf(key);
  }

  /** Where it stands, for messages about other places. */
  public String place() {
    Mark mark = markOf(key);
    return problems.placeOf(mark.getLine() + 1, mark.getColumn() + 1);
  }

  /** Notes a problem with the value. The message continues its name. */
  public void bad(String message) {
    note(node, name + " " + message);
  }

  /** Notes a problem with what stands in front of the colon. */
  public void badKey(String message) {
    note(key, message);
  }

  /** Notes that the value is not what is allowed. */
  public void mustBe(String allowed) {
    bad("must be " + allowed + ", was " + shown());
  }

  /** Runs what throws an {@link IllegalArgumentException} for wrong values. */
  public <T> @Nullable T check(Supplier<T> supplier) {
    try {
      return supplier.get();
    } catch (IllegalArgumentException e) {
      note(node, String.valueOf(e.getMessage()));
      return null;
    }
  }

  /** The entries of a mapping with these names and no others. */
  public @Nullable MappingFields fields(List<String> names) {
    if (!(node instanceof MappingNode mapping)) {
      mustBe("a mapping with " + String.join(", ", names));
      return null;
    }
    Map<String, Setting> entries = new LinkedHashMap<>();
    for (NodeTuple entry : mapping.getValue()) {
      String field = textOf(entry.getKeyNode());
      Setting setting = new Setting(field, entry.getKeyNode(), entry.getValueNode(), problems);
      if (names.contains(field)) {
        entries.putIfAbsent(field, setting);
      } else {
        setting.badKey(
            "unknown name "
                + quoted(field)
                + ", allowed are "
                + String.join(", ", names)
                + Suggestion.after(field, names));
      }
    }
    return new MappingFields(this, entries);
  }

  /** The entries of a mapping with names that the file makes up; empty is a problem. */
  public List<Setting> entries(String what) {
    if (!(node instanceof MappingNode mapping) || mapping.getValue().isEmpty()) {
      mustBe("a mapping with a " + what + " or more by name");
      return List.of();
    }
    Map<String, Setting> entries = new LinkedHashMap<>();
    for (NodeTuple entry : mapping.getValue()) {
      String chosen = textOf(entry.getKeyNode());
      String called = what + " " + quoted(chosen);
      entries.putIfAbsent(
          chosen, new Setting(called, entry.getKeyNode(), entry.getValueNode(), problems));
    }
    return List.copyOf(entries.values());
  }

  /** The elements of a list, each called by the same name. */
  public List<Setting> elements(String what) {
    if (!(node instanceof SequenceNode list)) {
      mustBe("a list");
      return List.of();
    }
    return list.getValue().stream()
        .map(element -> new Setting(what, element, element, problems))
        .toList();
  }

  /** The elements of a list that is not empty, or the value itself as the only one. */
  public List<Setting> oneOrMore() {
    if (!isList()) {
      return List.of(this);
    }
    List<Setting> elements = elements(name);
    if (elements.isEmpty()) {
      bad("must not be an empty list: leave it out");
    }
    return elements;
  }

  /** A text, or a number or anything else that YAML tells apart from text, as it is written. */
  public @Nullable String text(String allowed) {
    if (node instanceof ScalarNode scalar && !isNothing()) {
      return scalar.getValue();
    }
    mustBe(allowed);
    return null;
  }

  /** A text of a form. */
  public @Nullable String text(String allowed, Pattern form) {
    String text = text(allowed);
    if (text != null && !form.matcher(text).matches()) {
      mustBe(allowed);
      return null;
    }
    return text;
  }

  /** A whole number within bounds. */
  public @Nullable Long number(long least, long most) {
    String allowed = "a whole number between " + least + " and " + most;
    String text = text(allowed);
    if (text == null) {
      return null;
    }
    Long value = numberOf(text);
    if (value == null || value < least || value > most) {
      mustBe(allowed);
      return null;
    }
    return value;
  }

  private static @Nullable Long numberOf(String text) {
    boolean isNumber = text.length() <= 2 * LONGEST_NUMBER && WHOLE_NUMBER.matcher(text).matches();
    String digits = text.replace("_", "");
    return isNumber && digits.length() <= LONGEST_NUMBER ? Long.valueOf(digits) : null;
  }

  /** True or false. */
  public @Nullable Boolean flag() {
    String text = textOf(node);
    if (!node.getTag().equals(Tag.BOOL) || !FLAG.matcher(text).matches()) {
      mustBe("true or false");
      return null;
    }
    return Boolean.valueOf(text);
  }

  /** One of some choices by how files write them. */
  public <T> @Nullable T oneOf(Map<String, T> choices) {
    return choose(choices, UnaryOperator.identity());
  }

  /** The same for choices in lower case that files may write in any. */
  public <T> @Nullable T oneOfInAnyCase(Map<String, T> choices) {
    return choose(choices, text -> text.toLowerCase(Locale.ROOT));
  }

  private <T> @Nullable T choose(Map<String, T> choices, UnaryOperator<String> spelling) {
    String allowed = "one of " + String.join(", ", choices.keySet());
    String text = text(allowed);
    T choice = text == null ? null : choices.get(spelling.apply(text));
    if (text != null && choice == null) {
      String suggestion = Suggestion.after(text, choices.keySet());
      bad("must be " + allowed + ", was " + shown() + suggestion);
    }
    return choice;
  }

  /** A duration, written as the windows of limits are. */
  public @Nullable Duration duration(String least, String most) {
    String allowed =
        "a whole number and a unit (us, ms, s, m, h, d, w), between " + least + " and " + most;
    String text = text(allowed);
    if (text == null) {
      return null;
    }
    Duration duration = durationOf(text);
    if (duration == null
        || duration.compareTo(Limit.parseWindow(least)) < 0
        || duration.compareTo(Limit.parseWindow(most)) > 0) {
      mustBe(allowed);
      return null;
    }
    return duration;
  }

  private static @Nullable Duration durationOf(String text) {
    try {
      return Limit.parseWindow(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /**
   * A mapping of anything, as Java has it: texts, doubles, booleans, nulls, and lists and maps of
   * them.
   */
  public @Nullable Map<String, @Nullable Object> plainMapping() {
    if (node instanceof MappingNode mapping) {
      return plain(mapping);
    }
    mustBe("a mapping");
    return null;
  }

  private static Map<String, @Nullable Object> plain(MappingNode mapping) {
    Map<String, @Nullable Object> plain = new LinkedHashMap<>();
    for (NodeTuple entry : mapping.getValue()) {
      plain.putIfAbsent(textOf(entry.getKeyNode()), plain(entry.getValueNode()));
    }
    return plain;
  }

  private static @Nullable Object plain(Node node) {
    if (node instanceof MappingNode mapping) {
      return plain(mapping);
    }
    if (node instanceof SequenceNode list) {
      List<@Nullable Object> elements = new ArrayList<>();
      list.getValue().forEach(element -> elements.add(plain(element)));
      return elements;
    }
    String text = textOf(node);
    Tag tag = node.getTag();
    if (tag.equals(Tag.NULL)) {
      return null;
    }
    if (tag.equals(Tag.BOOL) && FLAG.matcher(text).matches()) {
      return Boolean.valueOf(text);
    }
    boolean isNumber = tag.equals(Tag.INT) || tag.equals(Tag.FLOAT);
    return isNumber && DECIMAL.matcher(text).matches() ? Double.valueOf(text) : text;
  }

  private void note(Node where, String message) {
    Mark mark = markOf(where);
    problems.add(mark.getLine() + 1, mark.getColumn() + 1, message);
  }

  private String shown() {
    if (isList()) {
      return "a list";
    }
    if (isMapping()) {
      return ((MappingNode) node).getValue().isEmpty() ? "an empty mapping" : "a mapping";
    }
    return isNothing() ? "nothing" : quoted(textOf(node));
  }

  /** Returns a text as messages show it: in quotation marks, and shortened. */
  public static String quoted(String text) {
    return text.length() <= LONGEST_SHOWN
        ? "'" + text + "'"
        : "'" + text.substring(0, LONGEST_SHOWN) + "…'";
  }

  private static String textOf(Node node) {
    return node instanceof ScalarNode scalar ? scalar.getValue() : "";
  }

  static Mark markOf(Node node) {
    return node.getStartMark().orElseThrow();
  }
}
