package dev.sash.server.resp.command;

import dev.sash.server.resp.codec.CommandException;
import dev.sash.server.resp.codec.ReplyWriter;
import dev.sash.server.resp.codec.Request;
import java.util.List;

/**
 * The commands by which clients send several commands as one. {@code EXEC} executes what was queued
 * in order, without a command of the same connection in between. {@code WATCH} has nothing to
 * watch: no command reads data that another client writes.
 */
final class TransactionCommands {
  private static final int MANY = Integer.MAX_VALUE;

  private TransactionCommands() {}

  static List<Command> commands() {
    return List.of(
        executed("multi", 1, "Starts a transaction", TransactionCommands::multi),
        executed("exec", 1, "Executes a transaction", TransactionCommands::exec),
        executed("discard", 1, "Discards a transaction", TransactionCommands::discard),
        executed("watch", MANY, "Does nothing: there are no values", TransactionCommands::watch),
        Command.of(
            "unwatch",
            1,
            1,
            "Does nothing: there are no values",
            (request, client, reply) -> reply.simple("OK")));
  }

  private static Command executed(String name, int most, String summary, Command.Immediate action) {
    return Command.of(name, Math.min(2, most), most, summary, action)
        .inTransaction(Command.InTransaction.EXECUTED);
  }

  private static void multi(Request request, Conversation client, ReplyWriter reply) {
    if (client.transaction() != null) {
      throw CommandException.of("MULTI calls can not be nested");
    }
    client.transaction(new Transaction());
    reply.simple("OK");
  }

  private static void exec(Request request, Conversation client, ReplyWriter reply) {
    Transaction transaction = end(client, "EXEC");
    if (transaction.isAborted()) {
      throw new CommandException("EXECABORT", "Transaction discarded because of previous errors.");
    }
    reply.array(transaction.size());
    client.executeAfterThis(transaction);
  }

  private static void discard(Request request, Conversation client, ReplyWriter reply) {
    end(client, "DISCARD");
    reply.simple("OK");
  }

  private static Transaction end(Conversation client, String command) {
    Transaction transaction = client.transaction();
    if (transaction == null) {
      throw CommandException.of(command + " without MULTI");
    }
    client.transaction(null);
    return transaction;
  }

  private static void watch(Request request, Conversation client, ReplyWriter reply) {
    if (client.transaction() != null) {
      throw CommandException.of("WATCH inside MULTI is not allowed");
    }
    reply.simple("OK");
  }
}
