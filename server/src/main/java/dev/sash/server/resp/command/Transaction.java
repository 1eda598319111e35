package dev.sash.server.resp.command;

import dev.sash.server.resp.codec.CommandException;
import dev.sash.server.resp.codec.Request;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The commands between {@code MULTI} and {@code EXEC}. If one of them is refused, none is executed.
 * Not thread-safe.
 */
final class Transaction {
  static final int MAX_COMMANDS = 10_000;
  static final int MAX_BYTES = 4 << 20;

  /** The bytes that a queued command needs besides its words. */
  private static final int OVERHEAD_BYTES = 256;

  private final Queue<Queued> commands = new ArrayDeque<>();
  private int bytes;
  private boolean aborted;

  /** A command to be executed later. */
  record Queued(CommandTable.Entry entry, Request request) {}

  /**
   * Queues a copy of a request.
   *
   * @throws CommandException if there are too many; then nothing is executed
   */
  void add(CommandTable.Entry entry, Request request) {
    int more = request.totalLength() + OVERHEAD_BYTES;
    if (commands.size() == MAX_COMMANDS || bytes + more > MAX_BYTES) {
      throw CommandException.of(
          "a transaction must have at most "
              + MAX_COMMANDS
              + " commands and "
              + MAX_BYTES
              + " bytes");
    }
    if (!aborted) {
      commands.add(new Queued(entry, request.copy()));
      bytes += more;
    }
  }

  /** Nothing is executed any more. */
  void abort() {
    aborted = true;
    commands.clear();
    bytes = 0;
  }

  /** Returns the bytes that are held for the commands. */
  int bytes() {
    return bytes;
  }

  boolean isAborted() {
    return aborted;
  }

  /** Returns the number of commands that are queued. */
  int size() {
    return commands.size();
  }

  /** Removes and returns the next command; null if there is none. */
  @Nullable Queued next() {
    return commands.poll();
  }
}
