package dev.sash.cli.log;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** Writes each event as one line, and a stack trace below it or, as JSON, in it. */
final class LineLogger extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1;

  private LineLogger(String name) {
    this.name = name;
  }

  static Logger of(String name) {
    return new LineLogger(name);
  }

  private boolean shows(Level level) {
    return LogStyle.current().shows(level, name);
  }

  @Override
  public boolean isTraceEnabled() {
    return shows(Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return shows(Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return shows(Level.INFO);
  }

  @Override
  public boolean isWarnEnabled() {
    return shows(Level.WARN);
  }

  @Override
  public boolean isErrorEnabled() {
    return shows(Level.ERROR);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      @Nullable String pattern,
      Object @Nullable [] arguments,
      @Nullable Throwable thrown) {
    String message = String.valueOf(MessageFormatter.basicArrayFormat(pattern, arguments));
    LogStyle style = LogStyle.current();
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    String line =
        style.json() ? json(now, level, message, thrown) : text(now, level, message, thrown);
    style.out().println(line);
  }

  private String text(Instant now, Level level, String message, @Nullable Throwable thrown) {
    String shortName = name.substring(name.lastIndexOf('.') + 1);
    return String.join(" ", now.toString(), level.toString(), shortName + ":", message)
        + (thrown == null ? "" : "\n" + trace(thrown).stripTrailing());
  }

  private String json(Instant now, Level level, String message, @Nullable Throwable thrown) {
    StringBuilder line = new StringBuilder("{");
    field(line, "time", now.toString());
    field(line.append(','), "level", level.toString().toLowerCase(Locale.ROOT));
    field(line.append(','), "logger", name);
    field(line.append(','), "message", message);
    if (thrown != null) {
      field(line.append(','), "error", trace(thrown));
    }
    return line.append('}').toString();
  }

  private static void field(StringBuilder line, String name, String value) {
    line.append('"').append(name).append("\":\"");
    JsonStringEncoder.getInstance().quoteAsString(value, line);
    line.append('"');
  }

  private static String trace(Throwable thrown) {
    StringWriter trace = new StringWriter();
    thrown.printStackTrace(new PrintWriter(trace));
    return trace.toString();
  }
}
