package dev.sash.cli.log;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;

/** Forwards what libraries log with the JDK's own logging, as gRPC does. */
public final class JdkLog extends Handler {
  private static final SimpleFormatter FORMATTER = new SimpleFormatter();

  private JdkLog() {}

  /** Replaces the JDK's own output. */
  public static void forward() {
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) {
      root.removeHandler(handler);
    }
    root.addHandler(new JdkLog());
  }

  @Override
  public void publish(LogRecord record) {
    int level = record.getLevel().intValue();
    String name = record.getLoggerName() == null ? "java.util.logging" : record.getLoggerName();
    org.slf4j.event.Level same =
        level >= Level.SEVERE.intValue()
            ? org.slf4j.event.Level.ERROR
            : level >= Level.WARNING.intValue()
                ? org.slf4j.event.Level.WARN
                : org.slf4j.event.Level.INFO;
    LoggerFactory.getLogger(name)
        .atLevel(same)
        .setCause(record.getThrown())
        .log(FORMATTER.formatMessage(record));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
