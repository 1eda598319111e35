package dev.sash.server.statistics;

/**
 * How often something happened.
 *
 * @param perSecond now: on average over the last 5 seconds, or 10 of policies without detail
 * @param minute in the last minute
 * @param hour in the last hour
 * @param day in the last 24 hours
 */
public record Counts(double perSecond, long minute, long hour, long day) {
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  Counts plus(Counts other) {
    return new Counts(
        perSecond + other.perSecond, minute + other.minute, hour + other.hour, day + other.day);
  }

  static Counts of(TimeSeries series, Measure measure, long nowMillis) {
    return new Counts(
        series.perSecond(measure, nowMillis),
        series.sum(measure, MINUTE, nowMillis),
        series.sum(measure, HOUR, nowMillis),
        series.sum(measure, DAY, nowMillis));
  }
}
