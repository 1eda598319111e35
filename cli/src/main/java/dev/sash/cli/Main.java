package dev.sash.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.List;

/** The command line. Exit codes: 0 done, 2 arguments that are not understood. */
public final class Main {
  static final int DONE = 0;
  static final int BAD_ARGUMENTS = 2;

  private static final String USAGE =
      """
      usage: sash demo [--ascii]   the same traffic against every algorithm
             sash help             this text
      """;

  private Main() {}

  /**
   * Runs a command and exits the JVM.
   *
   * @param args the command and its options
   */
  public static void main(String[] args) {
    List<String> arguments = List.of(args);
    Look look = Look.detect(arguments.contains("--ascii"));
    PrintStream out = stream(FileDescriptor.out, look);
    int exitCode = run(arguments, look, out, stream(FileDescriptor.err, look));
    out.flush();
    System.exit(exitCode);
  }

  static int run(List<String> arguments, Look look, PrintStream out, PrintStream err) {
    String command = arguments.isEmpty() ? "help" : arguments.get(0);
    List<String> options = arguments.subList(Math.min(1, arguments.size()), arguments.size());
    if (List.of("help", "--help", "-h").contains(command) || options.contains("--help")) {
      out.print(USAGE);
      return DONE;
    }
    if (!command.equals("demo")) {
      return complain(err, "unknown command '" + command + "'");
    }
    for (String option : options) {
      if (!option.equals("--ascii")) {
        return complain(err, "demo does not know '" + option + "'");
      }
    }
    out.print(Demo.text(look));
    return DONE;
  }

  private static int complain(PrintStream err, String what) {
    err.println("sash: " + what);
    err.print(USAGE);
    return BAD_ARGUMENTS;
  }

  private static PrintStream stream(FileDescriptor descriptor, Look look) {
    return new PrintStream(new FileOutputStream(descriptor), false, look.charset());
  }
}
