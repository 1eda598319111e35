package dev.sash.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** {@code ./sash bench}. */
public final class Main {
  private static final String USAGE =
      """
      usage: ./sash bench local [--quick]
             ./sash bench jmh [options of JMH]

      local   compares Sash with Guava, Resilience4j and Bucket4j in this process, in one run, and
              saves the tables under benchmarks/results; about 10 minutes, 3 with --quick
      jmh     runs single benchmarks; -l lists them\
      """;

  private Main() {}

  /** Runs a comparison, or JMH itself. */
  public static void main(String[] args) throws IOException {
    List<String> rest = args.length == 0 ? List.of() : Arrays.asList(args).subList(1, args.length);
    String command = args.length == 0 ? "" : args[0];
    if (command.equals("jmh")) {
      org.openjdk.jmh.Main.main(rest.toArray(String[]::new));
    } else if (command.equals("local") && (rest.isEmpty() || rest.equals(List.of("--quick")))) {
      local(!rest.isEmpty());
    } else {
      System.err.println(USAGE);
      System.exit(2);
    }
  }

  private static void local(boolean quick) throws IOException {
    String report = new LocalComparison(quick).run();
    System.out.println();
    System.out.println(report);
    Path file = Path.of("benchmarks", "results", quick ? "local-quick.md" : "local.md");
    Files.createDirectories(file.getParent());
    Files.writeString(file, report);
    System.out.println("saved as " + file);
  }
}
