package dev.sash.cli.log;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.event.Level;

/**
 * What is logged, and how. Immutable; loggers always use the one that is in force.
 *
 * @param json whether each line is a JSON object
 * @param level the least level that is logged; of libraries only warnings are, unless it is debug
 * @param out where lines go
 */
public record LogStyle(boolean json, Level level, PrintStream out) {
  private static volatile LogStyle inForce = new LogStyle(false, Level.INFO, standardError());

  /**
   * The style in force.
   *
   * @return for people, from information on, unless something else was {@linkplain #use said}
   */
  static LogStyle current() {
    return inForce;
  }

  /** Puts this style in force. */
  public void use() {
    inForce = this;
  }

  /**
   * The standard error, in UTF-8.
   *
   * @return the stream
   */
  public static PrintStream standardError() {
    return new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
  }

  /** Whether a line of that level from that logger is written. */
  boolean shows(Level of, String logger) {
    boolean own = logger.startsWith("dev.sash.") || level.toInt() <= Level.DEBUG.toInt();
    int least = own ? level.toInt() : Math.max(level.toInt(), Level.WARN.toInt());
    return of.toInt() >= least;
  }
}
