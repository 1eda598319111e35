package dev.sash.client;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Parses dates of HTTP fields, in the three forms that RFC 9110 obliges recipients to accept. */
final class HttpDate {
  private static final List<DateTimeFormatter> FORMS =
      List.of(
          DateTimeFormatter.RFC_1123_DATE_TIME,
          DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss uuuu", Locale.US)
              .withZone(ZoneOffset.UTC));

  private HttpDate() {}

  /**
   * Parses a date.
   *
   * @param now decides the century of a year of two digits, which is less than 50 years ahead
   * @return the date, or null if the text is not one
   */
  static @Nullable Instant parse(String text, Instant now) {
    for (DateTimeFormatter form : FORMS) {
      Instant date = parse(text, form);
      if (date != null) {
        return date;
      }
    }
    return parse(text, withYearOfTwoDigits(now));
  }

  private static @Nullable Instant parse(String text, DateTimeFormatter form) {
    try {
      return form.parse(text, Instant::from);
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static DateTimeFormatter withYearOfTwoDigits(Instant now) {
    LocalDate earliest = LocalDate.ofInstant(now, ZoneOffset.UTC).minusYears(50);
    return new DateTimeFormatterBuilder()
        .appendPattern("EEEE, dd-MMM-")
        .appendValueReduced(ChronoField.YEAR, 2, 2, earliest)
        .appendPattern(" HH:mm:ss 'GMT'")
        .toFormatter(Locale.US)
        .withZone(ZoneOffset.UTC);
  }
}
