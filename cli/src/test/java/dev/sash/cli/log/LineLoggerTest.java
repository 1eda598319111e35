package dev.sash.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

class LineLoggerTest {
  private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z";

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final Logger own = LoggerFactory.getLogger("dev.sash.server.SashServer");
  private final Logger library = LoggerFactory.getLogger("io.netty.Something");

  private void use(boolean json, Level level) {
    new LogStyle(json, level, new PrintStream(bytes, true, StandardCharsets.UTF_8)).use();
  }

  @AfterEach
  void asBefore() {
    new LogStyle(false, Level.INFO, LogStyle.standardError()).use();
  }

  private String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void writesLinesForPeople() {
    use(false, Level.INFO);
    own.info("listens on {}, {} policies", 8080, 2);
    assertThat(text()).matches(TIME + " INFO SashServer: listens on 8080, 2 policies\n");
  }

  @Test
  void writesObjectsForMachines() {
    use(true, Level.INFO);
    own.warn("\"quoted\"\n{}", "é");
    assertThat(text())
        .matches(
            "\\{\"time\":\""
                + TIME
                + "\",\"level\":\"warn\",\"logger\":\"dev.sash.server.SashServer\","
                + "\"message\":\"\\\\\"quoted\\\\\"\\\\né\"}\n");
  }

  @Test
  void writesWhatLibrariesLogWithTheJdk() {
    use(true, Level.INFO);
    JdkLog.forward();
    java.util.logging.Logger grpc = java.util.logging.Logger.getLogger("io.grpc.Something");
    grpc.info("of libraries only warnings");
    grpc.log(java.util.logging.Level.WARNING, "port {0}", new Object[] {"8081"});
    grpc.log(java.util.logging.Level.SEVERE, "failed", new IllegalStateException("because"));

    assertThat(text())
        .doesNotContain("of libraries")
        .contains(
            "\"level\":\"warn\",\"logger\":\"io.grpc.Something\",\"message\":\"port 8081\"",
            "\"message\":\"failed\",\"error\":\"java.lang.IllegalStateException: because")
        .hasLineCount(2);
  }

  @Test
  void writesWhatWasThrown() {
    use(true, Level.INFO);
    own.error("failed", new IllegalStateException("because"));
    assertThat(text())
        .contains("\"message\":\"failed\",\"error\":\"java.lang.IllegalStateException: because\\n")
        .hasLineCount(1);
    bytes.reset();
    use(false, Level.INFO);
    own.error("failed", new IllegalStateException("because"));
    assertThat(text()).contains("failed\njava.lang.IllegalStateException: because\n\tat ");
  }

  @Test
  void ofLibrariesOnlyWarningsUnlessEverythingIsWanted() {
    use(false, Level.INFO);
    library.info("chatter");
    own.debug("detail");
    assertThat(text()).isEmpty();
    library.warn("careful");
    assertThat(text()).contains("careful");
    use(false, Level.DEBUG);
    library.info("chatter");
    own.debug("detail");
    assertThat(text()).contains("chatter").contains("detail");
    use(false, Level.ERROR);
    bytes.reset();
    own.warn("careful");
    assertThat(text()).isEmpty();
  }
}
