package dev.sash.server.resp;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command.
 *
 * @param name in small letters
 * @param least how many words a request has at least, the name included
 * @param most how many it has at most
 * @param keyAt which word is a key of a limiter; 0 for none
 * @param arguments the names of its arguments, for people; those that can be left out in brackets
 * @param summary what it does, for people; empty for a command that nobody is to be told of
 * @param action does it
 */
record Command(
    String name,
    int least,
    int most,
    int keyAt,
    List<String> arguments,
    String summary,
    Action action) {

  /** What a command does. */
  interface Action {
    /**
     * Does it.
     *
     * @param request has as many words as it may; valid only during the call
     * @param client who asks
     * @param reply takes the reply, unless it comes later
     * @return null, or the reply that comes later
     * @throws CommandException if the request is refused
     * @throws IllegalArgumentException if an argument is refused by a limiter
     */
    @Nullable Later<?> run(Request request, Conversation client, ReplyWriter reply);
  }

  /** What a command does that replies at once. */
  interface Immediate {
    /** As {@link Action#run}. */
    void run(Request request, Conversation client, ReplyWriter reply);
  }

  /** A command about the connection or the server. */
  static Command of(String name, int least, int most, String summary, Immediate action) {
    Action done =
        (request, client, reply) -> {
          action.run(request, client, reply);
          return null;
        };
    return new Command(name, least, most, 0, List.of(), summary, done);
  }

  /** How many words there are, as Redis tells it: negative if there may be more. */
  int arity() {
    return least == most ? least : -least;
  }
}
