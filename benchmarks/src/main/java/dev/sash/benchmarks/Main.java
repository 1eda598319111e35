package dev.sash.benchmarks;

import dev.sash.benchmarks.http.HttpComparison;
import dev.sash.benchmarks.redis.RedisComparison;
import dev.sash.benchmarks.server.ServerComparison;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** {@code ./sash bench}. */
public final class Main {
  private static final String USAGE =
      """
      usage: ./sash bench local [--quick]
             ./sash bench redis [--quick]
             ./sash bench http [--quick]
             ./sash bench server [--quick]
             ./sash bench jmh [options of JMH]

      local   compares Sash with Guava, Resilience4j and Bucket4j in this process, in one run, and
              saves the tables under benchmarks/results; about 10 minutes, 3 with --quick
      redis   compares Sash with Bucket4j, Redisson and the usual scripts on a redis-server that it
              starts, in one run, and saves the tables there too; as long
      http    compares a Spring Boot application without limits with the same one limited by Sash and
              by Bucket4j, and Spring Cloud Gateway limited by Sash and by itself, in one run, and
              saves the tables there too; 12 minutes, 6 with --quick
      server  compares the service with its own empty endpoint, nginx and HAProxy, as far as they are
              installed, in one run, and saves the tables there too; 5 minutes, 2 with --quick
      jmh     runs single benchmarks; -l lists them\
      """;

  private Main() {}

  /** Runs a comparison, or JMH itself. */
  public static void main(String[] args) throws IOException {
    List<String> rest = args.length == 0 ? List.of() : Arrays.asList(args).subList(1, args.length);
    String command = args.length == 0 ? "" : args[0];
    if (command.equals("jmh")) {
      org.openjdk.jmh.Main.main(rest.toArray(String[]::new));
    } else if (rest.isEmpty() || rest.equals(List.of("--quick"))) {
      compare(command, !rest.isEmpty());
    } else {
      fail();
    }
  }

  private static void compare(String command, boolean quick) throws IOException {
    String file = command + (quick ? "-quick.md" : ".md");
    switch (command) {
      case "local" -> new LocalComparison(quick).run().publish(file);
      case "redis" -> RedisComparison.run(quick).publish(file);
      case "server" -> ServerComparison.run(quick).publish(file);
      case "http" -> HttpComparison.run(quick).publish(file);
      default -> fail();
    }
  }

  private static void fail() {
    System.err.println(USAGE);
    System.exit(2);
  }
}
