package dev.sash.cli;

import dev.sash.cli.Arguments.BadArgumentsException;
import dev.sash.cli.Service.Answer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Sets, removes and lists overrides of a server, and resets keys. */
final class OverrideCommand {
  private static final String LIMITS = "--limits";
  private static final String UNLIMITED = "--unlimited";
  private static final String BLOCK = "--block";
  private static final String REASON = "--reason";
  private static final String FOR = "--for";
  private static final String PREFIX = "--prefix";
  private static final String AUTHOR = "--author";

  static final String USAGE =
      """
      usage: sash override set POLICY KEY (--limits L | --unlimited | --block) --reason TEXT [flags]
             sash override remove POLICY KEY [flags]
             sash override list [POLICY] [flags]

      Sets what applies to a key instead of the limits of a policy, on all servers on one Redis.

        --limits LIMITS  other limits, such as 500/1m, separated by commas
        --unlimited      admits all requests, without a charge
        --block          denies all requests
        --reason TEXT    why
        --for TIME       for how long, such as 2h, at most 366d (until it is removed)
        --prefix true    KEY is what the keys begin with (false)
        --author NAME    who (the user of this shell)
        --server URL     where the server is (http://127.0.0.1:8080)

      SASH_ADMIN_TOKEN, or the file that SASH_ADMIN_TOKEN_FILE names, has the admin token of the
      server. Exit codes: 0 done, 1 refused by the server, 2 not understood, or no answer.
      """;

  static final String RESET_USAGE =
      """
      usage: sash reset POLICY KEY [flags]     forgets what is charged to a key

        --server URL     where the server is (http://127.0.0.1:8080)

      SASH_ADMIN_TOKEN, or the file that SASH_ADMIN_TOKEN_FILE names, has the admin token of the
      server. Exit codes: 0 done, 1 refused by the server, 2 not understood, or no answer.
      """;

  private final Arguments arguments;
  private final Service service;
  private final PrintStream out;

  private OverrideCommand(Arguments arguments, Service service, PrintStream out) {
    this.arguments = arguments;
    this.service = service;
    this.out = out;
  }

  /** A request, and what is printed if the server accepts it. */
  private interface Command {
    Answer run(OverrideCommand command) throws IOException;
  }

  static int run(
      List<String> words, Map<String, String> environment, PrintStream out, PrintStream err) {
    String action = words.isEmpty() ? "" : words.get(0);
    List<String> rest = words.subList(Math.min(1, words.size()), words.size());
    return switch (action) {
      case "set" -> {
        List<String> flags = List.of(Service.FLAG, LIMITS, REASON, FOR, PREFIX, AUTHOR);
        Arguments arguments =
            Arguments.parse("override set", flags, List.of(UNLIMITED, BLOCK), rest, environment);
        yield run(arguments, 2, 2, environment, out, err, OverrideCommand::set);
      }
      case "remove" -> {
        List<String> flags = List.of(Service.FLAG, REASON, PREFIX, AUTHOR);
        Arguments arguments = Arguments.parse("override remove", flags, rest, environment);
        yield run(arguments, 2, 2, environment, out, err, OverrideCommand::remove);
      }
      case "list" -> {
        Arguments arguments =
            Arguments.parse("override list", List.of(Service.FLAG), rest, environment);
        yield run(arguments, 0, 1, environment, out, err, OverrideCommand::list);
      }
      default ->
          throw new BadArgumentsException(
              "override needs to know what to do: set, remove or list"
                  + (action.isEmpty() ? "" : ", was '" + action + "'"));
    };
  }

  static int reset(
      List<String> words, Map<String, String> environment, PrintStream out, PrintStream err) {
    Arguments arguments = Arguments.parse("reset", List.of(Service.FLAG), words, environment);
    return run(arguments, 2, 2, environment, out, err, OverrideCommand::reset);
  }

  private static int run(
      Arguments arguments,
      int least,
      int most,
      Map<String, String> environment,
      PrintStream out,
      PrintStream err,
      Command command) {
    int words = arguments.others().size();
    if (words < least || words > most) {
      throw new BadArgumentsException(
          (least == 2 ? "a policy and a key are needed" : "at most a policy is understood")
              + ", got "
              + words
              + (words == 1 ? " word" : " words"));
    }
    Service service = Service.forOperators(arguments, environment);
    try {
      Answer answer = command.run(new OverrideCommand(arguments, service, out));
      if (answer.status() < 300) {
        return Main.DONE;
      }
      err.println(answer.problem());
      return Main.FAILED;
    } catch (IOException e) {
      err.println(e.getMessage());
      return Main.BAD_ARGUMENTS;
    }
  }

  private String policy() {
    return arguments.others().get(0);
  }

  private String path() {
    return "/v1/overrides/" + Service.encoded(policy());
  }

  private Answer set() throws IOException {
    String limits = arguments.text(LIMITS);
    boolean unlimited = arguments.isGiven(UNLIMITED);
    boolean block = arguments.isGiven(BLOCK);
    if ((limits == null ? 0 : 1) + (unlimited ? 1 : 0) + (block ? 1 : 0) != 1) {
      throw new BadArgumentsException(
          "one of " + LIMITS + ", " + UNLIMITED + " and " + BLOCK + " must be given");
    }
    String reason = arguments.text(REASON);
    if (reason == null) {
      throw new BadArgumentsException(REASON + " must be given");
    }
    String time = arguments.text(FOR);
    JsonObject body = target().put("reason", reason);
    if (limits == null) {
      body.put("effect", unlimited ? "unlimited" : "block");
    } else {
      body.put("limits", List.of(limits.split(" *, *", -1)));
    }
    if (time != null) {
      body.put("expiresIn", time);
    }
    Answer answer = service.send("PUT", path(), body);
    if (answer.status() == 200) {
      out.println("set: " + line(answer.body().getJsonObject("override")));
      if ("memory".equals(answer.body().getString("kept"))) {
        out.println("kept in memory: it ends when the server stops; see --state-dir and --redis");
      }
    }
    return answer;
  }

  private JsonObject target() {
    boolean prefix = arguments.choice(PREFIX, List.of("false", "true")).equals("true");
    return new JsonObject()
        .put(prefix ? "prefix" : "key", arguments.others().get(1))
        .put("author", arguments.text(AUTHOR, System.getProperty("user.name", "unknown")));
  }

  private Answer remove() throws IOException {
    JsonObject body = target();
    String reason = arguments.text(REASON);
    if (reason != null) {
      body.put("reason", reason);
    }
    Answer answer = service.send("DELETE", path(), body);
    if (answer.status() == 200) {
      out.println("removed: " + line(answer.body().getJsonObject("override")));
    }
    return answer;
  }

  private Answer list() throws IOException {
    boolean all = arguments.others().isEmpty();
    Answer answer =
        service.get("/v1/overrides" + (all ? "" : "?policy=" + Service.encoded(policy())));
    if (answer.status() == 200) {
      JsonArray overrides = answer.body().getJsonArray("overrides");
      for (int i = 0; i < overrides.size(); i++) {
        out.println(line(overrides.getJsonObject(i)));
      }
      if (overrides.isEmpty()) {
        out.println("no overrides");
      }
    }
    return answer;
  }

  private Answer reset() throws IOException {
    String key = arguments.others().get(1);
    Answer answer =
        service.send("POST", "/v1/reset", new JsonObject().put("policy", policy()).put("key", key));
    if (answer.status() == 204) {
      out.println("reset: " + policy() + " " + key);
    }
    return answer;
  }

  /** Returns an override in one line. */
  private static String line(JsonObject override) {
    JsonArray limits = override.getJsonArray("limits");
    return "%s %s %s until %s (%s: %s)"
        .formatted(
            override.getString("policy"),
            override.getString("key", override.getString("prefix") + "*"),
            limits == null
                ? override.getString("effect")
                : limits.stream().map(String::valueOf).collect(Collectors.joining(", ")),
            override.getString("expires", "removed"),
            override.getString("author"),
            override.getString("reason"));
  }
}
