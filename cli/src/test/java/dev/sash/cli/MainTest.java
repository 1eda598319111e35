package dev.sash.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class MainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void runsTheDemo() {
    assertThat(run("demo", "--ascii")).isEqualTo(Main.DONE);

    assertThat(text(out)).isEqualTo(Demo.text(new Look(false, false)));
    assertThat(text(err)).isEmpty();
  }

  @Test
  void explainsItselfWhenAsked() {
    for (String[] arguments :
        new String[][] {{}, {"help"}, {"--help"}, {"-h"}, {"demo", "--help"}}) {
      out.reset();
      assertThat(run(arguments)).isEqualTo(Main.DONE);
      assertThat(text(out)).startsWith("usage: sash serve").contains("sash demo");
    }
    assertThat(text(err)).isEmpty();
  }

  @Test
  void explainsItsCommands() {
    assertThat(run("serve", "--help")).isEqualTo(Main.DONE);
    assertThat(text(out)).startsWith("usage: sash serve").contains("--resp-port");
    out.reset();
    assertThat(run("check", "--help")).isEqualTo(Main.DONE);
    assertThat(text(out)).startsWith("usage: sash check").contains("Exit codes");
  }

  @Test
  void tellsItsVersion() {
    for (String word : new String[] {"version", "--version", "-V"}) {
      out.reset();
      assertThat(run(word)).isEqualTo(Main.DONE);
      assertThat(text(out)).matches("sash [0-9]+\\.[0-9]+\\.[0-9]+(-SNAPSHOT)?\\R");
    }
  }

  @Test
  void namesACommandItDoesNotKnow() {
    assertThat(run("dance")).isEqualTo(Main.BAD_ARGUMENTS);

    assertThat(text(err)).startsWith("sash: unknown command 'dance'").contains("usage:");
    assertThat(text(out)).isEmpty();
  }

  @Test
  void guessesWhatWasMeant() {
    assertThat(run("serv")).isEqualTo(Main.BAD_ARGUMENTS);
    assertThat(text(err)).startsWith("sash: unknown command 'serv'; did you mean 'serve'?");
    err.reset();
    assertThat(run("serve", "--prot", "1")).isEqualTo(Main.BAD_ARGUMENTS);
    assertThat(text(err)).startsWith("sash: serve does not know '--prot'; did you mean '--port'?");
  }

  @Test
  void namesAnOptionItDoesNotKnow() {
    assertThat(run("demo", "--ascii", "--loud")).isEqualTo(Main.BAD_ARGUMENTS);

    assertThat(text(err)).startsWith("sash: demo does not know '--loud'");
    assertThat(text(out)).isEmpty();
  }

  private int run(String... arguments) {
    return Main.run(
        List.of(arguments),
        new Look(false, false),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private static String text(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8);
  }
}
