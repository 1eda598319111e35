package dev.sash.server.resp.command;

import dev.sash.server.resp.codec.CommandException;
import dev.sash.server.resp.codec.ReplyWriter;
import dev.sash.server.resp.codec.Request;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command.
 *
 * @param name in lower case
 * @param least the fewest words of a request, the name included
 * @param most the most words of a request
 * @param keyAt which word is the key of a limiter; 0 for none
 * @param arguments the names of its arguments, for people; optional ones in brackets
 * @param summary what it does, for people; empty for a command that is not listed
 * @param access refuses clients that must not use the command
 * @param syntax refuses arguments that the action would refuse, before the command is queued
 * @param inTransaction what happens between {@code MULTI} and {@code EXEC}
 * @param action executes the command
 */
record Command(
    String name,
    int least,
    int most,
    int keyAt,
    List<String> arguments,
    String summary,
    Check access,
    Check syntax,
    InTransaction inTransaction,
    Action action) {

  private static final Check NONE = (request, client) -> {};

  /** What happens to a command between {@code MULTI} and {@code EXEC}. */
  enum InTransaction {
    QUEUED,
    EXECUTED,
    REFUSED
  }

  /** A condition of a request. */
  interface Check {
    /**
     * Returns if the condition holds.
     *
     * @throws RuntimeException as {@link Action#run}, otherwise
     */
    void check(Request request, Conversation client);
  }

  /** Executes a command. */
  interface Action {
    /**
     * Executes the command.
     *
     * @param request has as many words as it may; valid only during the call
     * @param client the client that sent the request
     * @param reply takes the reply, unless it comes later
     * @return null, or the reply that comes later
     * @throws CommandException if the request is refused
     * @throws IllegalArgumentException if an argument is refused by a limiter
     */
    @Nullable PendingReply<?> run(Request request, Conversation client, ReplyWriter reply);
  }

  /** Executes a command that replies at once. */
  interface Immediate {
    /** As {@link Action#run}. */
    void run(Request request, Conversation client, ReplyWriter reply);
  }

  /** Returns a command about the connection or the server. */
  static Command of(String name, int least, int most, String summary, Immediate action) {
    Action done =
        (request, client, reply) -> {
          action.run(request, client, reply);
          return null;
        };
    return new Command(
        name, least, most, 0, List.of(), summary, NONE, NONE, InTransaction.QUEUED, done);
  }

  /**
   * Returns a command about the key of a limiter. Optional arguments are in brackets, and may have
   * several words.
   */
  static Command ofKey(
      String name, List<String> arguments, String summary, Check syntax, Action action) {
    int least = 1 + (int) arguments.stream().filter(a -> !a.startsWith("[")).count();
    int most = 1 + arguments.stream().mapToInt(a -> a.split(" ", -1).length).sum();
    return new Command(
        name,
        least,
        most,
        1 + arguments.indexOf("key"),
        arguments,
        summary,
        NONE,
        syntax,
        InTransaction.QUEUED,
        action);
  }

  /** Returns this command for some clients only. */
  Command onlyIf(Check condition) {
    return new Command(
        name, least, most, keyAt, arguments, summary, condition, syntax, inTransaction, action);
  }

  /** Returns this command with other behaviour in transactions. */
  Command inTransaction(InTransaction behaviour) {
    return new Command(
        name, least, most, keyAt, arguments, summary, access, syntax, behaviour, action);
  }

  /** Returns the number of words in the form of Redis: negative if there may be more. */
  int arity() {
    return least == most ? least : -least;
  }
}
