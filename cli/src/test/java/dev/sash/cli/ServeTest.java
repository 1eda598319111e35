package dev.sash.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.server.ServerOptions;
import dev.sash.server.access.Right;
import dev.sash.server.net.NetworkBounds;
import dev.sash.server.net.TlsFiles;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.rls.GrpcOptions;
import dev.sash.server.statistics.KeyMode;
import dev.sash.server.statistics.StatisticsOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What keeps the server from starting is said in one line. */
class ServeTest {
  private static String refusal(Map<String, String> environment) {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(printed, true, UTF_8);
    int code = Serve.run(List.of("--port", "0", "--resp-port", "0"), environment, both, both);
    assertThat(code).isEqualTo(Main.FAILED);
    return printed.toString(UTF_8);
  }

  @Test
  void refusesTokensThatCanBeGuessed() {
    assertThat(refusal(Map.of("SASH_ADMIN_TOKEN", "change-me-32-characters-or-longer")))
        .isEqualTo(
            "sash: cannot serve: SASH_ADMIN_TOKEN must be random, at least 16 characters; is a"
                + " placeholder, a repetition or a sequence of 33 characters\n");
    assertThat(refusal(Map.of("SASH_REFUND_TOKEN", "tooshort")))
        .isEqualTo(
            "sash: cannot serve: SASH_REFUND_TOKEN must have between 16 and 1024 characters, has"
                + " 8\n");
    assertThat(refusal(Map.of("SASH_ADMIN_TOKEN", "")))
        .isEqualTo(
            "sash: cannot serve: SASH_ADMIN_TOKEN must have between 16 and 1024 characters, has"
                + " 0\n");
  }

  @Test
  void refusesAnEmptyPassword() {
    assertThat(refusal(Map.of("SASH_RESP_PASSWORD", "")))
        .isEqualTo(
            "sash: cannot serve: SASH_RESP_PASSWORD must not be empty; unset it for no password\n");
  }

  @Test
  void refusesFilesThatAreNotThere() {
    for (String variable :
        List.of(
            "SASH_ADMIN_TOKEN_FILE",
            "SASH_REFUND_TOKEN_FILE",
            "SASH_RESP_PASSWORD_FILE",
            "SASH_REDIS_PASSWORD_FILE")) {
      assertThat(refusal(Map.of(variable, "/nowhere/at/all")))
          .isEqualTo(
              "sash: cannot serve: %s must name a readable file, was '/nowhere/at/all': no such regular file\n"
                  .formatted(variable));
    }
    assertThat(refusal(Map.of("SASH_TLS_CERT", "/nowhere/cert", "SASH_TLS_KEY", "/nowhere/key")))
        .startsWith("sash: cannot serve: TLS certificate must be readable: ")
        .contains("/nowhere/cert")
        .hasLineCount(1);
  }

  @Test
  void tlsFlagsBelongTogether() {
    for (Map<String, String> half :
        List.of(
            Map.of("SASH_TLS_CERT", "a"),
            Map.of("SASH_TLS_KEY", "a"),
            Map.of("SASH_TLS_CLIENT_CA", "a"),
            Map.of("SASH_RESP_TLS", "true"))) {
      assertThatThrownBy(() -> refusal(half))
          .isInstanceOf(Arguments.BadArgumentsException.class)
          .hasMessageContaining("must be given");
    }
  }

  @Test
  void appliesSecretsTlsAndBoundsToEveryPort() {
    Map<String, String> environment =
        Map.of("SASH_ADMIN_TOKEN", "kR7-adminOne-q2Wz9", "SASH_RESP_PASSWORD", "secret");
    ServerOptions options =
        options(
            environment,
            "--resp-port=0",
            "--grpc-port=0",
            "--tls-cert=a",
            "--tls-key=b",
            "--tls-client-ca=c",
            "--resp-tls=true",
            "--idle-timeout=7s",
            "--request-timeout=3s",
            "--max-connections=1000");
    TlsFiles files = new TlsFiles(Path.of("a"), Path.of("b"), Path.of("c"));
    assertThat(options.http().tls()).isEqualTo(files);
    assertThat(options.http().tokens().isSet(Right.ADMIN)).isTrue();
    assertThat(options.grpc()).extracting(GrpcOptions::tls).isEqualTo(files);
    assertThat(options.grpc())
        .extracting(GrpcOptions::idleTimeout, GrpcOptions::requestTimeout)
        .containsExactly(Duration.ofSeconds(7), Duration.ofSeconds(3));
    assertThat(options.resp()).extracting(RespOptions::tls).isEqualTo(files);
    assertThat(options.resp()).extracting(RespOptions::credentials).isNotNull();
    assertThat(options.resp()).extracting(resp -> resp.tokens().isSet(Right.ADMIN)).isEqualTo(true);
    assertThat(options.network()).isEqualTo(new NetworkBounds(750, 64 << 20));
    assertThat(
            options(Map.of(), "--max-connections-per-address=7", "--max-input-bytes=1m").network())
        .isEqualTo(new NetworkBounds(7, 1 << 20));
    assertThat(options(Map.of(), "--resp-port=0").resp()).extracting(RespOptions::tls).isNull();
  }

  @Test
  void statisticsKeepKeysUnlessTheyAreTurnedOff() {
    assertThat(options(Map.of()).statistics()).isEqualTo(StatisticsOptions.defaults());
    assertThat(options(Map.of("SASH_STATISTICS", "false")).statistics().enabled()).isFalse();
    assertThat(options(Map.of(), "--statistics-keys=hidden").statistics())
        .isEqualTo(new StatisticsOptions(true, KeyMode.HIDDEN));
    assertThatThrownBy(() -> options(Map.of(), "--statistics-keys=none"))
        .isInstanceOf(Arguments.BadArgumentsException.class)
        .hasMessage("--statistics-keys must be one of shown, hashed, hidden, was 'none'");
  }

  private static ServerOptions options(Map<String, String> environment, String... words) {
    return Serve.options(
        Arguments.parse("serve", Serve.FLAGS, List.of(words), environment), environment);
  }
}
