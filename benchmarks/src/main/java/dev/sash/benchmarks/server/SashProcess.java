package dev.sash.benchmarks.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** {@code ./sash serve} as users start it. */
final class SashProcess {
  private SashProcess() {}

  /** With a policy that never denies, and a port for Redis' clients. */
  static ServerProcess start(Path folder, String name, OptionalInt respPort, String... flags)
      throws IOException {
    int port = ServerProcess.freePort();
    List<String> command = command(folder, port);
    respPort.ifPresent(number -> command.addAll(List.of("--resp-port", "" + number)));
    command.addAll(List.of(flags));
    return ServerProcess.start(command, port, folder.resolve(name + ".log"));
  }

  /** With the same policy, on whatever cores there are. */
  static ServerProcess startAnywhere(Path folder, String name) throws IOException {
    int port = ServerProcess.freePort();
    return ServerProcess.startAnywhere(command(folder, port), port, folder.resolve(name + ".log"));
  }

  private static List<String> command(Path folder, int port) throws IOException {
    Path config = folder.resolve("sash.yaml");
    Files.writeString(
        config,
        """
        policies:
          %s:
            limit: 1000000/1m
          few:
            limit: 50/1h
        """
            .formatted(Requests.POLICY));
    List<String> command = new ArrayList<>();
    command.addAll(List.of("./sash", "serve", "--port", "" + port));
    command.addAll(List.of("--config", config.toAbsolutePath().toString()));
    return command;
  }

  /** Without any flag but the port, on whatever cores there are: how long does it take to start? */
  static ServerProcess startPlain(Path folder) throws IOException {
    int port = ServerProcess.freePort();
    return ServerProcess.startAnywhere(
        List.of("./sash", "serve", "--port", "" + port), port, folder.resolve("start.log"));
  }
}
