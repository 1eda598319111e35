package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.server.net.TlsFiles;
import dev.sash.testkit.redis.SelfSignedCertificate;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
  @TempDir Path folder;

  @Test
  void speaksTlsWithBothVersionsOfHttp() throws Exception {
    SelfSignedCertificate certificate = SelfSignedCertificate.in(folder);
    TlsFiles tls = new TlsFiles(certificate.certificate(), certificate.key());
    try (TestServer server =
        TestServer.start(
            "policies: {one: {limit: 9/1h}}",
            http -> http.withTls(tls),
            UnaryOperator.identity())) {
      URI uri = URI.create("https://localhost:" + server.port() + "/v1/check/one/ann");
      HttpClient client =
          HttpClient.newBuilder().sslContext(trusting(certificate.certificate())).build();
      for (HttpClient.Version version : HttpClient.Version.values()) {
        HttpResponse<String> response =
            client.send(
                HttpRequest.newBuilder(uri).version(version).build(), BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.version()).isEqualTo(version);
      }
      try (RawConnection plain = new RawConnection(server.port())) {
        assertThat(plain.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").everything())
            .doesNotContain("200 OK");
      }
    }
  }

  @Test
  void doesNotStartWithoutItsCertificate() {
    TlsFiles tls = new TlsFiles(folder.resolve("no.crt"), folder.resolve("no.key"));
    assertThatThrownBy(
            () ->
                TestServer.start(
                    "policies: {one: {limit: 9/1h}}",
                    http -> http.withTls(tls),
                    UnaryOperator.identity()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no.crt");
  }

  private static SSLContext trusting(Path pem) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null);
    try (InputStream in = Files.newInputStream(pem)) {
      trusted.setCertificateEntry(
          "server", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }
}
