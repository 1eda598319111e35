package dev.sash.testkit.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;

/**
 * A certificate for {@code localhost} and {@code 127.0.0.1} that signs itself, to be thrown away
 * after the test. It is made by the {@code keytool} of the JDK.
 *
 * @param certificate the certificate, in a PEM file; also what a client has to trust
 * @param key its private key, in a PEM file
 */
public record SelfSignedCertificate(Path certificate, Path key) {
  private static final String ALIAS = "sash";
  // It protects nothing: the key lies beside it in the open.
  private static final String PASSWORD = "throw-away";

  /**
   * Makes a certificate that is valid for a day.
   *
   * @param directory where its files are written; they are not deleted
   * @return the new certificate
   */
  public static SelfSignedCertificate in(Path directory) {
    Path store = directory.resolve("sash.p12");
    Tool.mustRun(
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair",
        "-keystore",
        store.toString(),
        "-storetype",
        "PKCS12",
        "-storepass",
        PASSWORD,
        "-alias",
        ALIAS,
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-dname",
        "CN=localhost",
        "-ext",
        "SAN=DNS:localhost,IP:127.0.0.1",
        // Some clients accept nothing as an anchor of trust that is not an authority.
        "-ext",
        "BC=CA:true",
        "-validity",
        "1");
    try {
      KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
      Key key = keys.getKey(ALIAS, PASSWORD.toCharArray());
      return new SelfSignedCertificate(
          pem(
              directory.resolve("sash.crt"),
              "CERTIFICATE",
              keys.getCertificate(ALIAS).getEncoded()),
          pem(directory.resolve("sash.key"), "PRIVATE KEY", key.getEncoded()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot read what keytool wrote", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path pem(Path file, String type, byte[] der) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    String text = "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, body, type);
    return Files.writeString(file, text, US_ASCII);
  }
}
