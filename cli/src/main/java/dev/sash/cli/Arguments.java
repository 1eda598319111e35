package dev.sash.cli;

import dev.sash.config.internal.Suggestion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The words behind a command: flags with values, and others. What is not said by a flag is taken
 * from the environment: {@code --resp-port} from {@code SASH_RESP_PORT}. Immutable.
 *
 * <p>Not a library, since the server would start later: see ADR 10.
 */
final class Arguments {
  private static final Pattern BYTES = Pattern.compile("([0-9]{1,18})([kmg]?)b?");
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");

  /** Words that are not understood. */
  static final class BadArgumentsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BadArgumentsException(String message) {
      super(message);
    }
  }

  private final Map<String, String> flags;
  private final List<String> others;
  private final Map<String, String> environment;

  private Arguments(
      Map<String, String> flags, List<String> others, Map<String, String> environment) {
    this.flags = flags;
    this.others = others;
    this.environment = environment;
  }

  /**
   * Reads words.
   *
   * @param command whose they are
   * @param known the flags that it knows, such as {@code --port}
   * @param environment the environment
   */
  static Arguments parse(
      String command, List<String> known, List<String> words, Map<String, String> environment) {
    return parse(command, known, List.of(), words, environment);
  }

  /**
   * Reads words.
   *
   * @param command whose they are
   * @param known the flags that it knows, such as {@code --port}
   * @param switches those that it knows besides, which have no value and no variable
   * @param environment the environment
   */
  static Arguments parse(
      String command,
      List<String> known,
      List<String> switches,
      List<String> words,
      Map<String, String> environment) {
    Map<String, String> flags = new HashMap<>();
    List<String> others = new ArrayList<>();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (!word.startsWith("-")) {
        others.add(word);
        continue;
      }
      if (switches.contains(word)) {
        flags.put(word, "");
        continue;
      }
      int equals = word.indexOf('=');
      String flag = equals < 0 ? word : word.substring(0, equals);
      if (!known.contains(flag)) {
        throw new BadArgumentsException(
            command + " does not know '" + flag + "'" + Suggestion.after(flag, known));
      }
      if (equals < 0 && i + 1 == words.size()) {
        throw new BadArgumentsException(flag + " must have a value");
      }
      String value = equals < 0 ? words.get(++i) : word.substring(equals + 1);
      if (flags.put(flag, value) != null) {
        throw new BadArgumentsException(flag + " must be given only once");
      }
    }
    return new Arguments(flags, others, environment);
  }

  /** Returns whether a switch is there. */
  boolean isGiven(String flag) {
    return flags.containsKey(flag);
  }

  /** What is not a flag. */
  List<String> others() {
    return others;
  }

  /** The value of a flag; null if neither it nor its variable is there. */
  @Nullable String text(String flag) {
    String value = flags.get(flag);
    if (value == null) {
      value = environment.get(variable(flag));
    }
    return value == null || value.isEmpty() ? null : value;
  }

  String text(String flag, String otherwise) {
    String value = text(flag);
    return value == null ? otherwise : value;
  }

  /** Returns the variable of a flag. */
  static String variable(String flag) {
    return "SASH" + flag.substring(1).replace('-', '_').toUpperCase(Locale.ROOT);
  }

  @Nullable Integer number(String flag, int least, int most) {
    String value = text(flag);
    if (value == null) {
      return null;
    }
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadArgumentsException(
        flag + " must be between " + least + " and " + most + ", was '" + value + "'");
  }

  int number(String flag, int least, int most, int otherwise) {
    Integer number = number(flag, least, most);
    return number == null ? otherwise : number;
  }

  Duration duration(String flag, Duration otherwise) {
    String value = text(flag);
    if (value == null) {
      return otherwise;
    }
    Matcher matcher = DURATION.matcher(value);
    if (!matcher.matches()) {
      throw new BadArgumentsException(
          flag + " must be such as 500ms, 5s or 1m, was '" + value + "'");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }

  /** Returns a number of bytes such as {@code 512m} or {@code 1g}; 0 if the flag is not given. */
  long bytes(String flag) {
    String value = text(flag);
    if (value == null) {
      return 0;
    }
    Matcher matcher = BYTES.matcher(value.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      long number = Long.parseLong(matcher.group(1));
      int shift = 10 * "kmg".indexOf(matcher.group(2)) + (matcher.group(2).isEmpty() ? 0 : 10);
      if (number > 0 && number <= Long.MAX_VALUE >> shift) {
        return number << shift;
      }
    }
    throw new BadArgumentsException(
        flag + " must be 1 or more bytes, such as 65536k, 512m or 1g, was '" + value + "'");
  }

  /** One of several words. */
  String choice(String flag, List<String> choices) {
    String value = text(flag, choices.get(0)).toLowerCase(Locale.ROOT);
    if (!choices.contains(value)) {
      throw new BadArgumentsException(
          flag + " must be one of " + String.join(", ", choices) + ", was '" + value + "'");
    }
    return value;
  }
}
