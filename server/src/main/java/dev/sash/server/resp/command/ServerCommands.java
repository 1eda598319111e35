package dev.sash.server.resp.command;

import dev.sash.server.engine.Engine;
import dev.sash.server.resp.codec.CommandException;
import dev.sash.server.resp.codec.ReplyWriter;
import dev.sash.server.resp.codec.Request;
import dev.sash.server.resp.command.Command.InTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** The commands that describe the server. */
final class ServerCommands {
  /** The version of Redis that is reported to clients: its connection commands are understood. */
  static final String REDIS_VERSION = "7.2.0";

  private static final int MANY = Integer.MAX_VALUE;

  /** What redis-benchmark wants to know before it begins. */
  private static final Map<String, String> CONFIG = Map.of("save", "", "appendonly", "no");

  private final CommandTable table;
  private final Engine engine;
  private final IntSupplier connections;

  ServerCommands(CommandTable table, Engine engine, IntSupplier connections) {
    this.table = table;
    this.engine = engine;
    this.connections = connections;
  }

  List<Command> commands() {
    return List.of(
        alone("info", 1, "Describes the server", this::info),
        alone("command", 1, "Describes the commands", this::command),
        alone("config", 2, "Returns settings", ServerCommands::config));
  }

  /** Returns a command with long replies, which a transaction could repeat without bound. */
  private static Command alone(String name, int least, String summary, Command.Immediate action) {
    return Command.of(name, least, MANY, summary, action).inTransaction(InTransaction.REFUSED);
  }

  private void info(Request request, Conversation client, ReplyWriter reply) {
    reply.bulk(
        """
        # Server\r
        redis_version:%s\r
        server_name:sash\r
        redis_mode:standalone\r
        # Clients\r
        connected_clients:%d\r
        # Persistence\r
        loading:0\r
        # Replication\r
        role:master\r
        # Sash\r
        store_up:%d\r
        """
            .formatted(REDIS_VERSION, connections.getAsInt(), engine.isStoreUp() ? 1 : 0));
  }

  private static void config(Request request, Conversation client, ReplyWriter reply) {
    if (!request.word(1).equals("get") || request.size() < 3) {
      throw CommandException.of("only CONFIG GET is understood");
    }
    List<String> found = new ArrayList<>();
    for (int i = 2; i < request.size(); i++) {
      String name = request.word(i);
      if (CONFIG.containsKey(name) && !found.contains(name)) {
        found.add(name);
      }
    }
    reply.map(found.size());
    for (String name : found) {
      reply.bulk(name);
      reply.bulk(CONFIG.getOrDefault(name, ""));
    }
  }

  private void command(Request request, Conversation client, ReplyWriter reply) {
    switch (request.size() == 1 ? "info" : request.word(1)) {
      case "count" -> reply.integer(table.commands().size());
      case "list" -> {
        reply.array(table.commands().size());
        table.commands().keySet().forEach(reply::bulk);
      }
      case "info" -> infos(request, reply);
      case "docs" -> docs(request, reply);
      default -> throw CommandException.of("unknown subcommand of 'command'");
    }
  }

  private void infos(Request request, ReplyWriter reply) {
    List<@Nullable Command> asked = new ArrayList<>();
    if (request.size() <= 2) {
      asked.addAll(table.commands().values());
    }
    for (int i = 2; i < request.size(); i++) {
      asked.add(table.commands().get(request.word(i)));
    }
    reply.array(asked.size());
    for (Command command : asked) {
      if (command == null) {
        reply.nothing();
      } else {
        info(command, reply);
      }
    }
  }

  /** Name, arity, flags, first, last and step of keys, categories, tips, keys, subcommands. */
  private static void info(Command command, ReplyWriter reply) {
    boolean keyed = command.keyAt() > 0;
    reply.array(10);
    reply.bulk(command.name());
    reply.integer(command.arity());
    reply.array(2);
    reply.simple(keyed ? "write" : "noscript");
    reply.simple("fast");
    reply.integer(command.keyAt());
    reply.integer(command.keyAt());
    reply.integer(keyed ? 1 : 0);
    for (int i = 0; i < 4; i++) {
      reply.array(0);
    }
  }

  private void docs(Request request, ReplyWriter reply) {
    List<Command> asked = new ArrayList<>();
    if (request.size() == 2) {
      asked.addAll(table.commands().values());
    }
    for (int i = 2; i < request.size(); i++) {
      Command command = table.commands().get(request.word(i));
      if (command != null) {
        asked.add(command);
      }
    }
    reply.map(asked.size());
    for (Command command : asked) {
      reply.bulk(command.name());
      docs(command, reply);
    }
  }

  private static void docs(Command command, ReplyWriter reply) {
    List<String> arguments = command.arguments();
    reply.map(arguments.isEmpty() ? 3 : 4);
    reply.bulk("summary");
    reply.bulk(command.summary());
    reply.bulk("since");
    reply.bulk("0.1.0");
    reply.bulk("group");
    reply.bulk(command.keyAt() > 0 ? "generic" : "connection");
    if (!arguments.isEmpty()) {
      reply.bulk("arguments");
      reply.array(arguments.size());
      for (String argument : arguments) {
        boolean optional = argument.startsWith("[");
        reply.map(optional ? 3 : 2);
        reply.bulk("name");
        reply.bulk(optional ? argument.substring(1, argument.length() - 1) : argument);
        reply.bulk("type");
        reply.bulk("string");
        if (optional) {
          reply.bulk("flags");
          reply.array(1);
          reply.simple("optional");
        }
      }
    }
  }
}
