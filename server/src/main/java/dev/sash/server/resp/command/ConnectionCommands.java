package dev.sash.server.resp.command;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.server.access.RespCredentials;
import dev.sash.server.resp.codec.CommandException;
import dev.sash.server.resp.codec.ReplyWriter;
import dev.sash.server.resp.codec.Request;
import dev.sash.server.resp.command.Command.InTransaction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The commands that concern the connection. */
final class ConnectionCommands {
  private static final int MANY = Integer.MAX_VALUE;
  private static final int LONGEST_NAME = 256;
  private static final byte[] DEFAULT_USER = RespCredentials.DEFAULT_USER.getBytes(US_ASCII);

  private final Authenticator authenticator;

  ConnectionCommands(Authenticator authenticator) {
    this.authenticator = authenticator;
  }

  List<Command> commands() {
    return List.of(
        Command.of("hello", 1, MANY, "Chooses the protocol's version", this::hello)
            .inTransaction(InTransaction.REFUSED),
        Command.of("auth", 2, 3, "Authenticates the connection", this::auth)
            .inTransaction(InTransaction.REFUSED),
        Command.of("ping", 1, 2, "Replies PONG, or what it was given", ConnectionCommands::ping),
        Command.of(
            "echo",
            2,
            2,
            "Replies what it was given",
            (request, client, reply) -> reply.bulk(request.bytes(1))),
        Command.of(
            "select", 2, 2, "Does nothing: there is one database", ConnectionCommands::select),
        Command.of(
            "client", 2, MANY, "Names or describes the connection", ConnectionCommands::client),
        executed("reset", 1, "Resets the connection", ConnectionCommands::reset),
        executed("quit", MANY, "Closes the connection", ConnectionCommands::quit),
        // What browsers and HTTP clients send: a web page may make a browser send it here.
        executed("post", MANY, "", ConnectionCommands::http),
        executed("host:", MANY, "", ConnectionCommands::http));
  }

  /** Returns a command that is executed also within a transaction. */
  private static Command executed(String name, int most, String summary, Command.Immediate action) {
    return Command.of(name, 1, most, summary, action).inTransaction(InTransaction.EXECUTED);
  }

  /** {@code HELLO [2|3 [AUTH user password] [SETNAME name]]}. */
  private void hello(Request request, Conversation client, ReplyWriter reply) {
    Session session = client.session();
    boolean resp3 = session.isResp3();
    if (request.size() > 1) {
      long version = request.number(1, "protocol version");
      if (version != 2 && version != 3) {
        throw new CommandException("NOPROTO", "unsupported protocol version");
      }
      resp3 = version == 3;
    }
    String name = options(request, client);
    if (session.isLocked()) {
      throw new CommandException("NOAUTH", "HELLO must come with AUTH, or after it");
    }
    session.name(name == null ? session.name() : name);
    session.resp3(resp3);
    client.sessionChanged();
    reply.resp3(resp3);
    greet(session, reply);
  }

  /** Authenticates the client if AUTH is given, and returns the name that was given, if any. */
  private @Nullable String options(Request request, Conversation client) {
    String name = null;
    for (int i = 2; i < request.size(); ) {
      String option = request.word(i);
      if (option.equals("auth") && i + 2 < request.size()) {
        authenticate(client, request.bytes(i + 1), request.bytes(i + 2));
        i += 3;
      } else if (option.equals("setname") && i + 1 < request.size()) {
        name = plain(request, i + 1, "name");
        i += 2;
      } else {
        throw CommandException.of("syntax error in HELLO");
      }
    }
    return name;
  }

  private static void greet(Session session, ReplyWriter reply) {
    reply.map(7);
    reply.bulk("server");
    reply.bulk("sash");
    reply.bulk("version");
    reply.bulk(ServerCommands.REDIS_VERSION);
    reply.bulk("proto");
    reply.integer(session.isResp3() ? 3 : 2);
    reply.bulk("id");
    reply.integer(session.id());
    reply.bulk("mode");
    reply.bulk("standalone");
    reply.bulk("role");
    reply.bulk("master");
    reply.bulk("modules");
    reply.array(0);
  }

  /** {@code AUTH [user] password}. */
  private void auth(Request request, Conversation client, ReplyWriter reply) {
    byte[] user = request.size() == 3 ? request.bytes(1) : DEFAULT_USER;
    authenticate(client, user, request.bytes(request.size() - 1));
    reply.simple("OK");
  }

  private void authenticate(Conversation client, byte[] user, byte[] password) {
    authenticator.authenticate(client, user, password);
    client.sessionChanged();
  }

  private static void ping(Request request, Conversation client, ReplyWriter reply) {
    if (request.size() == 1) {
      reply.simple("PONG");
    } else {
      reply.bulk(request.bytes(1));
    }
  }

  private static void select(Request request, Conversation client, ReplyWriter reply) {
    if (request.number(1, "database") < 0) {
      throw CommandException.of("DB index is out of range");
    }
    reply.simple("OK");
  }

  private static void client(Request request, Conversation client, ReplyWriter reply) {
    Session session = client.session();
    switch (request.word(1)) {
      case "id" -> reply.integer(session.id());
      case "info", "list" -> reply.bulk(session.info(client.wire().peer().text()) + "\n");
      case "getname" -> name(session, reply);
      case "setname" -> {
        session.name(plain(request, argument(request, 2), "name"));
        reply.simple("OK");
      }
      case "setinfo" -> {
        library(request, session);
        reply.simple("OK");
      }
      case "no-evict", "no-touch" -> reply.simple("OK"); // nothing is evicted or touched
      default -> throw CommandException.of("unknown subcommand of 'client'");
    }
  }

  private static void name(Session session, ReplyWriter reply) {
    if (session.name().isEmpty()) {
      reply.nothing();
    } else {
      reply.bulk(session.name());
    }
  }

  private static void library(Request request, Session session) {
    String value = plain(request, argument(request, 3), "value");
    switch (request.word(2)) {
      case "lib-name" -> session.library(value);
      case "lib-ver" -> session.libraryVersion(value);
      default -> throw CommandException.of("unknown attribute of 'client|setinfo'");
    }
  }

  private static int argument(Request request, int i) {
    if (request.size() != i + 1) {
      throw CommandException.of("wrong number of arguments for 'client' command");
    }
    return i;
  }

  /** A name that can stand in a list with spaces between them. */
  private static String plain(Request request, int i, String name) {
    String text = request.text(i, name);
    if (text.length() > LONGEST_NAME || !text.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
      throw CommandException.of(
          name
              + " must be at most "
              + LONGEST_NAME
              + " visible characters of ASCII without spaces");
    }
    return text;
  }

  private static void reset(Request request, Conversation client, ReplyWriter reply) {
    client.session().reset();
    client.transaction(null);
    client.sessionChanged();
    reply.simple("RESET");
  }

  private static void quit(Request request, Conversation client, ReplyWriter reply) {
    client.endAfterThis();
    reply.simple("OK");
  }

  private static void http(Request request, Conversation client, ReplyWriter reply) {
    client.endAfterThis();
    throw CommandException.of("this port expects RESP, not HTTP");
  }
}
