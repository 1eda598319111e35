package dev.sash.cli;

import java.io.Console;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the terminal can show.
 *
 * @param unicode whether blocks and arrows are shown, or stand-ins of plain ASCII
 * @param colour whether ANSI colours are
 */
record Look(boolean unicode, boolean colour) {
  private static final String GOOD = "32";
  private static final String BAD = "1;31";
  private static final String STRONG = "1";
  private static final String FAINT = "2";

  /** As the terminal and the environment have it; colour only where somebody looks. */
  static Look detect(boolean asciiWanted) {
    Console console = System.console();
    Map<String, String> environment = System.getenv();
    boolean plain =
        !environment.getOrDefault("NO_COLOR", "").isEmpty()
            || environment.getOrDefault("TERM", "").equals("dumb");
    return new Look(
        !asciiWanted && charset(console).equals(StandardCharsets.UTF_8),
        !plain && isTerminal(console));
  }

  private static Charset charset(@Nullable Console console) {
    return console != null
        ? console.charset()
        // Not the default charset: from JDK 18 on that is UTF-8, whatever the terminal's is.
        : Charset.forName(System.getProperty("native.encoding", "US-ASCII"));
  }

  /** From JDK 22 on there may be a console without a terminal, and a method that tells. */
  private static boolean isTerminal(@Nullable Console console) {
    try {
      return console != null
          && Boolean.TRUE.equals(Console.class.getMethod("isTerminal").invoke(console));
    } catch (NoSuchMethodException e) {
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  Charset charset() {
    return unicode ? StandardCharsets.UTF_8 : StandardCharsets.US_ASCII;
  }

  Chart chart() {
    return unicode ? Chart.BLOCKS : Chart.ASCII;
  }

  String arrow() {
    return unicode ? "→" : "=>";
  }

  String good(String text) {
    return inColour(GOOD, text);
  }

  String bad(String text) {
    return inColour(BAD, text);
  }

  String strong(String text) {
    return inColour(STRONG, text);
  }

  String faint(String text) {
    return inColour(FAINT, text);
  }

  private String inColour(String code, String text) {
    return colour ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
