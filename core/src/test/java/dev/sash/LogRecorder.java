package dev.sash;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Records what a class logs, until it is closed. */
public final class LogRecorder extends Handler implements AutoCloseable {
  private final Logger logger; // kept: the log manager holds loggers weakly
  private final List<String> messages = new CopyOnWriteArrayList<>();

  private LogRecorder(Class<?> source) {
    logger = Logger.getLogger(source.getName());
    logger.addHandler(this);
  }

  public static LogRecorder of(Class<?> source) {
    return new LogRecorder(source);
  }

  /** Returns the messages that begin with a text. */
  public List<String> messages(String beginning) {
    return messages.stream().filter(message -> message.startsWith(beginning)).toList();
  }

  /** Waits until that many messages have been logged that begin with a text. */
  public void await(int count, String beginning) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (messages(beginning).size() < count && System.nanoTime() < end) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Override
  public void publish(LogRecord record) {
    messages.add(record.getLevel() + " " + record.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
