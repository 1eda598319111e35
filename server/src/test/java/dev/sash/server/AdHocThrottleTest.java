package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.http.HttpOptions;
import dev.sash.server.resp.RespOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may send {@code CL.THROTTLE}, which brings its own limit. */
class AdHocThrottleTest {
  private static String throttle(@Nullable Path configuration) throws IOException {
    ServerOptions options =
        ServerOptions.of(HttpOptions.at("127.0.0.1", 0))
            .withConfiguration(configuration)
            .withResp(RespOptions.builder().port(0).build());
    try (SashServer server = SashServer.start(options);
        RawConnection client = new RawConnection(server.respPort())) {
      return client.send("CL.THROTTLE ann 15 30 60\r\n").halfClose().everything();
    }
  }

  @Test
  void everybodyWithoutAConfigurationFile() throws IOException {
    assertThat(throttle(null)).isEqualTo("*5\r\n:0\r\n:16\r\n:15\r\n:-1\r\n:2\r\n");
  }

  @Test
  void nobodyUnlessTheFilePermitsIt(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("sash.yaml"), "policies: {a: {limit: 1/1h}}\n");
    assertThat(throttle(file)).startsWith("-NOPERM ").contains("ad-hoc-limits: true");
    Files.writeString(file, "policies: {a: {limit: 1/1h}}\nad-hoc-limits: true\n");
    assertThat(throttle(file)).startsWith("*5\r\n:0\r\n");
  }
}
