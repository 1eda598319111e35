package dev.sash.server.net;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The contents of the files of TLS.
 *
 * @param files the files
 * @param certificate the certificate and its chain
 * @param key the private key
 * @param clientCa the authorities of clients; null if clients need no certificate
 */
record TlsSources(TlsFiles files, Buffer certificate, Buffer key, @Nullable Buffer clientCa) {
  private static final int MAX_BYTES = 1 << 20;
  private static final List<String> KEY_TYPES = List.of("RSA", "EC", "EdDSA");

  /**
   * Reads the files.
   *
   * @throws IllegalArgumentException if one of them is unreadable
   */
  static TlsSources read(TlsFiles files) {
    Path clientCa = files.clientCa();
    return new TlsSources(
        files,
        content("TLS certificate", files.certificate()),
        content("TLS key", files.key()),
        clientCa == null ? null : content("TLS client CA", clientCa));
  }

  private static Buffer content(String what, Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length <= MAX_BYTES) {
        return Buffer.buffer(bytes);
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(what + " must be readable: " + e, e);
    }
    throw new IllegalArgumentException(
        what + " must have at most " + MAX_BYTES + " bytes, " + file + " has more");
  }

  PemKeyCertOptions keyCertOptions() {
    return new PemKeyCertOptions().addCertValue(certificate).addKeyValue(key);
  }

  PemTrustOptions trustOptions() {
    PemTrustOptions options = new PemTrustOptions();
    return clientCa == null ? options : options.addCertValue(clientCa);
  }

  /**
   * Checks that everything is PEM, and that the key is that of the certificate.
   *
   * @throws IllegalArgumentException otherwise
   */
  void check(Vertx vertx) {
    KeyManager[] keys;
    try {
      keys = keyCertOptions().getKeyManagerFactory(vertx).getKeyManagers();
    } catch (Exception e) {
      throw new IllegalArgumentException(
          "TLS certificate %s and key %s must be PEM: %s"
              .formatted(files.certificate(), files.key(), e.getMessage()),
          e);
    }
    if (!isPair(keys)) {
      throw new IllegalArgumentException(
          "TLS key %s must be that of the certificate %s"
              .formatted(files.key(), files.certificate()));
    }
    try {
      trustOptions().loadKeyStore(vertx);
    } catch (Exception e) {
      throw new IllegalArgumentException(
          "TLS client CA %s must be PEM: %s".formatted(files.clientCa(), e.getMessage()), e);
    }
  }

  /** Returns whether the certificate verifies what the key signs. */
  private static boolean isPair(KeyManager[] managers) {
    for (String type : KEY_TYPES) {
      String[] aliases = ((X509KeyManager) managers[0]).getServerAliases(type, null);
      if (aliases != null) {
        X509KeyManager keys = (X509KeyManager) managers[0];
        return isPair(
            keys.getPrivateKey(aliases[0]), keys.getCertificateChain(aliases[0])[0].getPublicKey());
      }
    }
    return false;
  }

  private static boolean isPair(PrivateKey key, PublicKey publicKey) {
    try {
      Signature signature =
          Signature.getInstance(
              switch (key.getAlgorithm()) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                default -> key.getAlgorithm();
              });
      byte[] probe = publicKey.getEncoded();
      signature.initSign(key);
      signature.update(probe);
      byte[] signed = signature.sign();
      signature.initVerify(publicKey);
      signature.update(probe);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false; // such as a key of another algorithm
    }
  }
}
