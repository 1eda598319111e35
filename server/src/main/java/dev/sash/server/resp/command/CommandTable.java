package dev.sash.server.resp.command;

import dev.sash.server.engine.Engine;
import dev.sash.server.engine.NotPermittedException;
import dev.sash.server.engine.Refunds;
import dev.sash.server.engine.UnknownPolicyException;
import dev.sash.server.resp.codec.CommandException;
import dev.sash.server.resp.codec.ReplyWriter;
import dev.sash.server.resp.codec.Request;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The commands and their counters. Thread-safe. */
final class CommandTable {
  private static final Logger LOG = LoggerFactory.getLogger(CommandTable.class);
  private static final int LONGEST_NAME = 32;

  /** The commands that need no authentication. */
  private static final Set<String> OPEN = Set.of("auth", "hello", "quit", "reset");

  private final Map<String, Command> commands = new LinkedHashMap<>();
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final MeterRegistry registry;
  private final Entry unknown;

  /**
   * A table.
   *
   * @param registry gets {@code sash.resp.commands}
   */
  CommandTable(MeterRegistry registry) {
    this.registry = registry;
    this.unknown =
        new Entry(
            Command.of("unknown", 0, Integer.MAX_VALUE, "", (request, client, reply) -> {})
                .onlyIf(CommandTable::refuseUnknown),
            registry);
  }

  /** The table of a server. */
  static CommandTable of(
      Engine engine,
      Refunds refunds,
      Authenticator authenticator,
      IntSupplier connections,
      MeterRegistry registry) {
    CommandTable table = new CommandTable(registry);
    table.add(new DecisionCommands(engine, refunds, authenticator).commands());
    table.add(new ThrottleCommand(engine).commands());
    table.add(new ConnectionCommands(authenticator).commands());
    table.add(TransactionCommands.commands());
    table.add(new ServerCommands(table, engine, connections).commands());
    return table;
  }

  void add(Collection<Command> more) {
    for (Command command : more) {
      if (!command.summary().isEmpty()) {
        commands.put(command.name(), command);
      }
      entries.put(command.name(), new Entry(command, registry));
    }
  }

  /** Returns the listed commands by name. */
  Map<String, Command> commands() {
    return Collections.unmodifiableMap(commands);
  }

  Entry find(Request request) {
    return request.length(0) > LONGEST_NAME
        ? unknown
        : entries.getOrDefault(request.word(0), unknown);
  }

  /** Counts input that is not a request. */
  void countUnreadable() {
    unknown.errors.increment();
  }

  private static void refuseUnknown(Request request, Conversation client) {
    String name = request.length(0) > LONGEST_NAME ? "" : " '" + request.word(0) + "'";
    throw CommandException.of(
        "unknown command"
            + name
            + ": this is Sash, a rate limiter, not Redis; COMMAND LIST lists its commands");
  }

  /** A command with its counters. */
  static final class Entry {
    private final Command command;
    private final boolean open;
    private final Counter answers;
    private final Counter errors;

    private Entry(Command command, MeterRegistry registry) {
      this.command = command;
      this.open = OPEN.contains(command.name());
      this.answers = counter(registry, "ok");
      this.errors = counter(registry, "error");
    }

    private Counter counter(MeterRegistry registry, String outcome) {
      return Counter.builder("sash.resp.commands")
          .description("Commands over RESP, by how they were answered")
          .tag("command", command.name())
          .tag("outcome", outcome)
          .register(registry);
    }

    Command command() {
      return command;
    }

    /** Checks that the client may use the command, and that the request has enough words. */
    void check(Request request, Conversation client) {
      if (client.session().isLocked() && !open) {
        throw new CommandException("NOAUTH", "Authentication required.");
      }
      if (request.size() < command.least() || request.size() > command.most()) {
        throw CommandException.of("wrong number of arguments for '" + command.name() + "' command");
      }
      command.access().check(request, client);
    }

    /** Checks everything that can be checked before the command is executed. */
    void checkQueued(Request request, Conversation client) {
      check(request, client);
      if (command.inTransaction() == Command.InTransaction.REFUSED) {
        throw CommandException.of("Command not allowed inside a transaction");
      }
      command.syntax().check(request, client);
    }

    void countAnswer() {
      answers.increment();
    }

    /** Replies with an error. The message of an internal failure is logged, not sent. */
    void refuse(Throwable failure, ReplyWriter reply) {
      errors.increment();
      if (failure instanceof CommandException refusal) {
        reply.error(refusal.code(), refusal.getMessage());
      } else if (failure instanceof NotPermittedException) {
        reply.error("NOPERM", String.valueOf(failure.getMessage()));
      } else if (failure instanceof UnknownPolicyException) {
        reply.error("NOPOLICY", String.valueOf(failure.getMessage()));
      } else if (failure instanceof IllegalArgumentException) {
        reply.error("ERR", String.valueOf(failure.getMessage()));
      } else {
        LOG.warn("{} failed", command.name(), failure);
        reply.error("UNAVAILABLE", "cannot be decided at the moment");
      }
    }
  }
}
