package dev.sash.cli;

import dev.sash.cli.Arguments.BadArgumentsException;
import dev.sash.cli.Service.Answer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Asks a server for permits: for shells and scripts. */
final class Check {
  private static final String PERMITS = "--permits";
  private static final List<String> FLAGS = List.of(Service.FLAG, PERMITS);

  static final String USAGE =
      """
      usage: sash check POLICY KEY [flags]     asks a server for permits

        --permits N      how many (what the policy says)
        --server URL     where the server is (http://127.0.0.1:8080)

      Exit codes: 0 allowed, 1 denied, 2 neither. Each flag is also an environment variable:
      --server is SASH_SERVER.
      """;

  private Check() {}

  static int run(
      List<String> words, Map<String, String> environment, PrintStream out, PrintStream err) {
    Arguments arguments = Arguments.parse("check", FLAGS, words, environment);
    if (arguments.others().size() != 2) {
      throw new BadArgumentsException(
          "check needs a policy and a key, got " + arguments.others().size() + " words");
    }
    String permits = arguments.text(PERMITS);
    String path =
        "/v1/check/"
            + Service.encoded(arguments.others().get(0))
            + "/"
            + Service.encoded(arguments.others().get(1))
            + (permits == null ? "" : "?permits=" + Service.encoded(permits));
    try {
      return report(Service.of(arguments).get(path), out, err);
    } catch (IOException e) {
      err.println(e.getMessage());
      return Main.BAD_ARGUMENTS;
    }
  }

  private static int report(Answer answer, PrintStream out, PrintStream err) {
    JsonObject body = answer.body();
    if (answer.status() == 200 && body.containsKey("remaining")) {
      out.println(
          "allowed: "
              + body.getValue("remaining")
              + " of "
              + body.getValue("limit")
              + " left, all of them in "
              + body.getValue("ttl")
              + " s");
      return Main.DONE;
    }
    if (answer.status() == 429 && body.containsKey("retryAfterMs")) {
      // A list or an override denies, and not a limit.
      String reason = body.getString("reason");
      out.println("denied: " + (reason == null ? retry(body.getLong("retryAfterMs")) : reason));
      return Main.FAILED;
    }
    err.println(answer.problem());
    return Main.BAD_ARGUMENTS;
  }

  private static String retry(@Nullable Long millis) {
    return millis == null
        ? "more than the limit ever allows"
        : "try again in " + Times.text(millis);
  }
}
