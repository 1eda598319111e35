package dev.sash.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.testkit.redis.SelfSignedCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Certificates and contexts for tests of TLS. */
public final class TestTls {
  private TestTls() {}

  /** Returns a new certificate in a folder of its own. */
  public static SelfSignedCertificate certificate(Path parent, String name) throws IOException {
    return SelfSignedCertificate.in(Files.createDirectory(parent.resolve(name)));
  }

  /** Replaces the files of one certificate by those of another. */
  public static void replace(SelfSignedCertificate old, SelfSignedCertificate other)
      throws IOException {
    for (Path[] pair :
        new Path[][] {{other.certificate(), old.certificate()}, {other.key(), old.key()}}) {
      Path copy = Files.copy(pair[0], pair[1].resolveSibling("new"));
      Files.move(copy, pair[1], StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Returns a context that trusts some certificates, and has one of its own, if any. */
  public static SSLContext context(
      @Nullable SelfSignedCertificate own, SelfSignedCertificate... trusted)
      throws IOException, GeneralSecurityException {
    KeyStore anchors = emptyStore();
    for (SelfSignedCertificate certificate : trusted) {
      anchors.setCertificateEntry(certificate.certificate().toString(), read(certificate));
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(anchors);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own == null ? null : keys(own), trust.getTrustManagers(), null);
    return context;
  }

  private static KeyManager[] keys(SelfSignedCertificate own)
      throws IOException, GeneralSecurityException {
    String pem = Files.readString(own.key(), US_ASCII).replaceAll("-----[A-Z ]+-----|\\s", "");
    KeyStore keys = emptyStore();
    keys.setKeyEntry(
        "own",
        KeyFactory.getInstance("EC")
            .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem))),
        new char[0],
        new Certificate[] {read(own)});
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, new char[0]);
    return managers.getKeyManagers();
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null);
    return store;
  }

  /** Returns the certificate in the file as it is now. */
  public static X509Certificate read(SelfSignedCertificate certificate)
      throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(certificate.certificate())) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }
}
