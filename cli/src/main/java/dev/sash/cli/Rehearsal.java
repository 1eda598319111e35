package dev.sash.cli;

import dev.sash.cli.log.LogStyle;
import dev.sash.server.SashServer;
import dev.sash.server.ServerOptions;
import dev.sash.server.http.HttpOptions;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.slf4j.event.Level;

/**
 * Serves once and asks itself, so that the JVM has loaded what it needs for that and can archive it
 * at its exit. Called by the script that starts the service, and by nobody else.
 */
final class Rehearsal {
  private Rehearsal() {}

  static int run() {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    new LogStyle(false, Level.INFO, nowhere).use();
    ServerOptions options = ServerOptions.of(HttpOptions.at("127.0.0.1", 0));
    try (SashServer server = SashServer.start(options)) {
      nowhere.print(Serve.welcome(options, server));
      Signals.on("HUP", () -> {});
      String url = "http://127.0.0.1:" + server.port();
      List<String> question = List.of("default", "somebody", "--server", url);
      return Check.run(question, Map.of(), nowhere, nowhere);
    }
  }
}
