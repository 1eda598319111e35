package dev.sash.cli;

import dev.sash.cli.Arguments.BadArgumentsException;
import dev.sash.config.internal.Suggestion;
import dev.sash.server.Version;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.List;

/** The command line. Exit codes: 0 done, 1 failed, 2 arguments that are not understood. */
public final class Main {
  static final int DONE = 0;
  static final int FAILED = 1;
  static final int BAD_ARGUMENTS = 2;

  private static final String USAGE =
      """
      usage: sash serve [flags]        rate limiting as a service
             sash check POLICY KEY     asks a service for a permit
             sash explain POLICY KEY   says what a request would receive now, and why
             sash override ...         sets, removes and lists overrides for single keys
             sash reset POLICY KEY     forgets what is charged to a key
             sash demo [--ascii]       the same traffic against every algorithm
             sash version              the version
             sash help                 this text; sash COMMAND --help describes a command
      """;

  private static final List<String> COMMANDS =
      List.of("serve", "check", "explain", "override", "reset", "demo", "version", "help");

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
    List<String> words = arguments.subList(Math.min(1, arguments.size()), arguments.size());
    if (List.of("help", "--help", "-h").contains(command) || words.contains("--help")) {
      out.print(usage(command));
      return DONE;
    }
    if (List.of("version", "--version", "-V").contains(command)) {
      out.println("sash " + Version.current());
      return DONE;
    }
    try {
      return switch (command) {
        case "serve" -> Serve.run(words, System.getenv(), out, err);
        case "check" -> Check.run(words, System.getenv(), out, err);
        case "explain" -> Explain.run(words, System.getenv(), out, err);
        case "override" -> OverrideCommand.run(words, System.getenv(), out, err);
        case "reset" -> OverrideCommand.reset(words, System.getenv(), out, err);
        case "rehearse" -> Rehearsal.run();
        case "demo" -> demo(words, look, out);
        default ->
            throw new BadArgumentsException(
                "unknown command '" + command + "'" + Suggestion.after(command, COMMANDS));
      };
    } catch (BadArgumentsException e) {
      err.println("sash: " + e.getMessage());
      err.print(usage(command));
      return BAD_ARGUMENTS;
    }
  }

  private static String usage(String command) {
    return switch (command) {
      case "serve" -> Serve.USAGE;
      case "check" -> Check.USAGE;
      case "explain" -> Explain.USAGE;
      case "override" -> OverrideCommand.USAGE;
      case "reset" -> OverrideCommand.RESET_USAGE;
      default -> USAGE;
    };
  }

  private static int demo(List<String> words, Look look, PrintStream out) {
    for (String word : words) {
      if (!word.equals("--ascii")) {
        throw new BadArgumentsException("demo does not know '" + word + "'");
      }
    }
    out.print(Demo.text(look));
    return DONE;
  }

  private static PrintStream stream(FileDescriptor descriptor, Look look) {
    return new PrintStream(new FileOutputStream(descriptor), false, look.charset());
  }
}
