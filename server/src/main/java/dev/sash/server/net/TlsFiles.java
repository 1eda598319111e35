package dev.sash.server.net;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files of TLS.
 *
 * @param certificate the certificate, followed by those between it and an authority
 * @param key the private key of the certificate
 * @param clientCa the authorities of client certificates; null if clients need no certificate
 */
public record TlsFiles(Path certificate, Path key, @Nullable Path clientCa) {
  /**
   * Creates files without client certificates.
   *
   * @param certificate the certificate, followed by those between it and an authority
   * @param key the private key of the certificate
   */
  public TlsFiles(Path certificate, Path key) {
    this(certificate, key, null);
  }
}
