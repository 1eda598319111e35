package dev.sash.cli;

import dev.sash.cli.Arguments.BadArgumentsException;
import dev.sash.cli.Service.Answer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Explains what a request would receive now. */
final class Explain {
  private static final String PERMITS = "--permits";
  private static final int BAR = 10;

  static final String USAGE =
      """
      usage: sash explain POLICY KEY [flags]   says what a request would receive now, and why

        --permits N      of how many permits (what the policy says)
        --server URL     where the server is (http://127.0.0.1:8080)

      Charges nothing. Needs the admin token in SASH_ADMIN_TOKEN, or a file with it in
      SASH_ADMIN_TOKEN_FILE, if the server has one. Exit codes: 0 the request would be admitted,
      1 denied, 2 neither.
      """;

  private Explain() {}

  static int run(
      List<String> words, Map<String, String> environment, PrintStream out, PrintStream err) {
    Arguments arguments =
        Arguments.parse("explain", List.of(Service.FLAG, PERMITS), words, environment);
    if (arguments.others().size() != 2) {
      throw new BadArgumentsException(
          "explain needs a policy and a key, got " + arguments.others().size() + " words");
    }
    String permits = arguments.text(PERMITS);
    String path =
        "/v1/explain?policy="
            + Service.encoded(arguments.others().get(0))
            + "&key="
            + Service.encoded(arguments.others().get(1))
            + (permits == null ? "" : "&permits=" + Service.encoded(permits));
    Answer answer;
    try {
      answer = Service.forOperators(arguments, environment).get(path);
    } catch (IOException e) {
      err.println(e.getMessage());
      return Main.BAD_ARGUMENTS;
    }
    JsonObject body = answer.body();
    if (answer.status() != 200
        || !(body.getValue("sentence") instanceof String sentence)
        || !(body.getValue("limits") instanceof JsonArray limits)
        || !(body.getValue("state") instanceof JsonObject state)) {
      err.println(answer.problem());
      return Main.BAD_ARGUMENTS;
    }
    out.println(sentence);
    print(out, limits);
    return Boolean.TRUE.equals(state.getValue("allowed")) ? Main.DONE : Main.FAILED;
  }

  private static void print(PrintStream out, JsonArray limits) {
    if (limits.isEmpty()) {
      return;
    }
    out.println();
    out.print(line("limit", "used", "", "left", "next"));
    for (int i = 0; i < limits.size(); i++) {
      JsonObject limit = limits.getJsonObject(i);
      long used = limit.getLong("used");
      long capacity = limit.getLong("capacity");
      int filled = (int) Math.min(BAR, Math.ceil((double) used * BAR / capacity));
      out.print(
          line(
              limit.getString("limit"),
              used + " of " + capacity,
              "#".repeat(filled),
              limit.getValue("remaining").toString(),
              next(used, limit.getJsonArray("releases"))));
    }
  }

  private static String line(String limit, String used, String bar, String left, String next) {
    return String.format(Locale.ROOT, "%-24s %-14s %-10s %8s  %s%n", limit, used, bar, left, next)
        .replaceFirst(" +(\\R)$", "$1");
  }

  /** When the next permits leave the limit, and when all have left it. */
  private static String next(long used, JsonArray releases) {
    if (releases.isEmpty()) {
      return "";
    }
    JsonObject first = releases.getJsonObject(0);
    JsonObject last = releases.getJsonObject(releases.size() - 1);
    String all = "all in " + Times.text(last.getLong("afterMs"));
    return releases.size() == 1
        ? all
        : "%d in %s, %s"
            .formatted(used - first.getLong("used"), Times.text(first.getLong("afterMs")), all);
  }
}
