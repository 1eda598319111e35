package dev.sash.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sash.server.TestTls;
import dev.sash.testkit.redis.SelfSignedCertificate;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsReloaderTest {
  private static Vertx vertx;

  @TempDir Path folder;
  private final List<ServerSSLOptions> updates = new ArrayList<>();
  private SelfSignedCertificate used;
  private SelfSignedCertificate other;
  private TlsFiles files;

  @BeforeAll
  static void start() {
    vertx = Vertx.vertx();
  }

  @AfterAll
  static void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @BeforeEach
  void certificates() throws Exception {
    used = TestTls.certificate(folder, "used");
    other = TestTls.certificate(folder, "other");
    files = new TlsFiles(used.certificate(), used.key(), other.certificate());
  }

  private TlsReloader reloader() {
    return TlsReloader.configure(vertx, "TEST", files, new NetServerOptions().setUseAlpn(true));
  }

  private void poll(TlsReloader reloader, int times) {
    for (int i = 0; i < times; i++) {
      reloader.poll(
          options -> {
            updates.add(options);
            return Future.succeededFuture(true);
          });
    }
  }

  @Test
  void usesAChangeOnceAndWhenTwoReadingsAgree() throws Exception {
    TlsReloader reloader = reloader();
    poll(reloader, 3);
    assertThat(updates).isEmpty();
    TestTls.replace(used, other);
    poll(reloader, 1);
    assertThat(updates).isEmpty();
    poll(reloader, 3);
    assertThat(updates).hasSize(1);
    assertThat(updates.get(0).isUseAlpn()).isTrue();
    assertThat(updates.get(0).getClientAuth()).isEqualTo(io.vertx.core.http.ClientAuth.REQUIRED);
  }

  @Test
  void refusesAKeyOfAnotherCertificateAndGarbageUntilTheFilesAreGood() throws Exception {
    TlsReloader reloader = reloader();
    String good = Files.readString(used.key());
    Files.copy(
        other.certificate(), used.certificate(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    poll(reloader, 3);
    Files.writeString(used.key(), "garbage");
    poll(reloader, 3);
    Files.delete(used.key());
    poll(reloader, 3);
    Files.writeString(used.key(), good);
    poll(reloader, 3);
    assertThat(updates).isEmpty();
    Files.copy(other.key(), used.key(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    poll(reloader, 3);
    assertThat(updates).hasSize(1);
  }

  @Test
  void seesAnotherClientCa() throws Exception {
    files = new TlsFiles(used.certificate(), used.key(), folder.resolve("ca.crt"));
    Files.copy(used.certificate(), folder.resolve("ca.crt"));
    TlsReloader reloader = reloader();
    Files.writeString(folder.resolve("ca.crt"), Files.readString(other.certificate()));
    poll(reloader, 3);
    assertThat(updates).hasSize(1);
  }

  @Test
  void refusesToStartWithFilesThatCannotBeUsed() throws Exception {
    for (TlsFiles bad :
        List.of(
            new TlsFiles(folder.resolve("no.crt"), used.key()),
            new TlsFiles(used.certificate(), folder.resolve("no.key")),
            new TlsFiles(used.certificate(), other.key()),
            new TlsFiles(used.key(), used.key()),
            new TlsFiles(used.certificate(), used.certificate()),
            new TlsFiles(used.certificate(), used.key(), used.key()),
            new TlsFiles(used.certificate(), used.key(), folder.resolve("no.ca")))) {
      assertThatIllegalArgumentException()
          .as("%s", bad)
          .isThrownBy(() -> TlsReloader.configure(vertx, "TEST", bad, new NetServerOptions()))
          .withMessageStartingWith("TLS ")
          .withMessageNotContaining(Files.readAllLines(used.key()).get(1));
    }
  }
}
