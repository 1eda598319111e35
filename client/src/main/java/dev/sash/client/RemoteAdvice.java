package dev.sash.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.greenbytes.http.sfv.Item;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.jspecify.annotations.Nullable;

/**
 * Finds out for how long a response says that its sender should not be called. In this order:
 *
 * <ol>
 *   <li>{@code Retry-After} of a response with status 429 or 503, in seconds or as a date. Zero,
 *       and a date that is not in the future, mean that there is no reason to wait.
 *   <li>Fields that say that nothing remains until a time, of a response with any status: {@code
 *       RateLimit} of the current drafts and of draft 7, {@code RateLimit-Remaining} and {@code
 *       -Reset}, and the same with {@code X-} or as {@code X-Rate-Limit-}. Of several limits that
 *       are used up, the one that is reset last counts. In a response with status 429, a time
 *       without the number that remains is enough.
 *   <li>A default, if the status is 429.
 * </ol>
 *
 * <p>A value that cannot be parsed counts as absent: no response is an error.
 */
final class RemoteAdvice {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;

  /** Longer values are ignored. */
  private static final int MAX_LENGTH = 1_000;

  /** Further values of the same field are ignored. */
  private static final int MAX_VALUES = 10;

  private static final Pattern NUMBER = Pattern.compile("0*([0-9]+)(?:\\.([0-9]+))?");

  private static final long MOST_SECONDS = 1_000_000_000_000_000L;

  /** A larger number is not a number of seconds, of three years, but a time since 1970. */
  private static final long LEAST_EPOCH_SECONDS = 100_000_000;

  private static final long LEAST_EPOCH_MILLIS = 100_000_000_000L;

  private static final List<String> PREFIXES = List.of("RateLimit", "X-RateLimit", "X-Rate-Limit");

  private final int status;
  private final Function<String, ? extends @Nullable List<String>> fields;
  private final Instant now;

  private RemoteAdvice(
      int status, Function<String, ? extends @Nullable List<String>> fields, Instant ownTime) {
    this.status = status;
    this.fields = fields;
    String date = value("Date");
    Instant remote = date == null ? null : HttpDate.parse(date, ownTime);
    // Times in a response are on its sender's clock, which may differ from ours.
    this.now = remote == null ? ownTime : remote;
  }

  /**
   * Returns how long to wait before the next call.
   *
   * @param status the status of the response
   * @param fields returns the values of a field by its name; empty or null if there is none
   * @param ownTime the time now, used if the response has no date
   * @param otherwise how long to wait after a response with status 429 that does not say
   * @return zero or more, without an upper bound
   */
  static Duration waitOf(
      int status,
      Function<String, ? extends @Nullable List<String>> fields,
      Instant ownTime,
      Duration otherwise) {
    return new RemoteAdvice(status, fields, ownTime).waitOr(otherwise);
  }

  private Duration waitOr(Duration otherwise) {
    Duration wait = null;
    if (status == TOO_MANY_REQUESTS || status == UNAVAILABLE) {
      wait = retryAfter();
    }
    if (wait == null) {
      wait = untilReset();
    }
    if (wait == null) {
      wait = status == TOO_MANY_REQUESTS ? otherwise : Duration.ZERO;
    }
    return wait.isNegative() ? Duration.ZERO : wait;
  }

  private @Nullable Duration retryAfter() {
    String value = value("Retry-After");
    if (value == null) {
      return null;
    }
    Duration seconds = seconds(value);
    if (seconds != null) {
      return seconds;
    }
    Instant date = HttpDate.parse(value, now);
    return date == null ? null : Duration.between(now, date);
  }

  private @Nullable Duration untilReset() {
    Duration latest = structured();
    for (String prefix : PREFIXES) {
      String remaining = value(prefix + "-Remaining");
      String reset = value(prefix + "-Reset");
      boolean isUsedUp =
          remaining == null
              ? status == TOO_MANY_REQUESTS
              : Duration.ZERO.equals(seconds(remaining));
      if (isUsedUp && reset != null) {
        latest = later(latest, untilReset(reset));
      }
    }
    return latest;
  }

  /** Most services send a number of seconds; others send a time, in seconds or milliseconds. */
  private @Nullable Duration untilReset(String reset) {
    Duration number = seconds(reset);
    if (number == null || number.toSeconds() < LEAST_EPOCH_SECONDS) {
      return number;
    }
    Instant instant =
        number.toSeconds() < LEAST_EPOCH_MILLIS
            ? Instant.EPOCH.plus(number)
            : Instant.ofEpochMilli(number.toSeconds());
    return Duration.between(now, instant);
  }

  /** Reads {@code "api";r=0;t=30}, or {@code limit=100, remaining=0, reset=30} of draft 7. */
  private @Nullable Duration structured() {
    List<String> values = values("RateLimit");
    if (values.isEmpty()) {
      return null;
    }
    try {
      Duration latest = null;
      for (ListElement<?> limit : new Parser(values).parseList().get()) {
        latest = later(latest, ifUsedUp(limit.getParams(), "r", "t"));
      }
      return latest;
    } catch (ParseException notAList) {
      try {
        return ifUsedUp(new Parser(values).parseDictionary().get(), "remaining", "reset");
      } catch (ParseException neither) {
        return null;
      }
    }
  }

  private static @Nullable Duration ifUsedUp(
      Map<String, ? extends ListElement<?>> numbers, String remaining, String reset) {
    Long left = number(numbers.get(remaining));
    Long seconds = number(numbers.get(reset));
    return left != null && left <= 0 && seconds != null ? Duration.ofSeconds(seconds) : null;
  }

  private static @Nullable Long number(@Nullable ListElement<?> value) {
    return value instanceof Item<?> item && item.get() instanceof Long number ? number : null;
  }

  private static @Nullable Duration later(@Nullable Duration one, @Nullable Duration other) {
    return one == null || (other != null && other.compareTo(one) > 0) ? other : one;
  }

  /** Returns a number of seconds, rounded up; huge numbers become {@value #MOST_SECONDS}. */
  private static @Nullable Duration seconds(String value) {
    Matcher number = NUMBER.matcher(value);
    if (!number.matches()) {
      return null;
    }
    String digits = number.group(1);
    if (digits.length() > 15) {
      return Duration.ofSeconds(MOST_SECONDS);
    }
    String fraction = number.group(2);
    boolean roundsUp = fraction != null && fraction.chars().anyMatch(digit -> digit != '0');
    return Duration.ofSeconds(Long.parseLong(digits) + (roundsUp ? 1 : 0));
  }

  /** Returns the first value of a field, without white space around it. */
  private @Nullable String value(String field) {
    List<String> values = values(field);
    return values.isEmpty() ? null : values.get(0).strip();
  }

  private List<String> values(String field) {
    List<String> values = fields.apply(field);
    return values == null
        ? List.of()
        : values.stream()
            .limit(MAX_VALUES)
            .filter(Objects::nonNull)
            .filter(value -> value.length() <= MAX_LENGTH)
            .toList();
  }
}
