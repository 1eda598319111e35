package dev.sash.server.net;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the TLS of a port up to date with its {@linkplain TlsFiles files}. They are read about
 * twice a second. A change takes effect for the connections that follow; open ones are not
 * affected. If the new files cannot be used, the previous ones stay in use, and the log says so.
 * Thread-safe.
 *
 * <p>It reads and compares instead of waiting for events of the file system, which do not report
 * all the ways in which files are replaced, such as the symbolic links of Kubernetes. What has
 * changed is used when two readings agree, since the files of a pair are written one after the
 * other.
 */
public final class TlsReloader {
  private static final Logger LOG = LoggerFactory.getLogger(TlsReloader.class);
  private static final long INTERVAL_MILLIS = 500;

  private final Vertx vertx;
  private final String port;
  private final TlsFiles files;
  private final ServerSSLOptions base;
  private TlsSources used;
  private TlsSources lastSeen;
  private String lastRefusal = "";

  private TlsReloader(Vertx vertx, String port, TlsFiles files, NetServerOptions options) {
    this.vertx = vertx;
    this.port = port;
    this.files = files;
    this.used = TlsSources.read(files);
    this.lastSeen = used;
    used.check(vertx);
    options.setSsl(true).setKeyCertOptions(used.keyCertOptions());
    if (files.clientCa() != null) {
      options.setClientAuth(ClientAuth.REQUIRED).setTrustOptions(used.trustOptions());
    }
    this.base = options.getSslOptions().copy();
  }

  /**
   * Reads the files, and adds TLS to the options of a port.
   *
   * @param vertx reads the files, on its worker threads
   * @param port the name of the port in the log, such as {@code HTTP}
   * @param files the files
   * @param options receive certificate, key and authorities
   * @return a reloader that does not watch the files yet
   * @throws IllegalArgumentException if the files cannot be used
   */
  public static TlsReloader configure(
      Vertx vertx, String port, TlsFiles files, NetServerOptions options) {
    return new TlsReloader(vertx, port, files, options);
  }

  /**
   * Reads the files, and adds TLS to the options of a port. Connections count before their
   * handshake.
   *
   * @param vertx reads the files, on its worker threads
   * @param port the name of the port in the log, such as {@code HTTP}
   * @param files the files
   * @param options receive certificate, key and authorities
   * @param limit closes connections beyond it, without a handshake
   * @return a reloader that does not watch the files yet
   * @throws IllegalArgumentException if the files cannot be used
   */
  public static TlsReloader configure(
      Vertx vertx, String port, TlsFiles files, NetServerOptions options, ConnectionLimit limit) {
    options.setSslEngineOptions(new LimitedTls(limit));
    return configure(vertx, port, files, options);
  }

  /**
   * Watches the files until Vert.x is closed.
   *
   * @param update puts options into effect for new connections
   */
  public void watch(Function<ServerSSLOptions, Future<Boolean>> update) {
    Callable<Void> poll =
        () -> {
          poll(update);
          return null;
        };
    vertx.setPeriodic(INTERVAL_MILLIS, timer -> vertx.executeBlocking(poll));
  }

  /** Looks once, as it happens at every interval. */
  synchronized void poll(Function<ServerSSLOptions, Future<Boolean>> update) {
    try {
      TlsSources seen = TlsSources.read(files);
      boolean settled = seen.equals(lastSeen);
      lastSeen = seen;
      if (settled && !seen.equals(used)) {
        used = seen; // also if it is refused, so that it is not tried again
        seen.check(vertx);
        update
            .apply(options(seen))
            .onSuccess(done -> LOG.info("TLS files of {} changed, the new ones are in use", port))
            .onFailure(failure -> refuse(String.valueOf(failure.getMessage())));
      }
    } catch (IllegalArgumentException e) {
      refuse(String.valueOf(e.getMessage()));
    }
  }

  private ServerSSLOptions options(TlsSources sources) {
    ServerSSLOptions options = base.copy().setKeyCertOptions(sources.keyCertOptions());
    return files.clientCa() == null ? options : options.setTrustOptions(sources.trustOptions());
  }

  private synchronized void refuse(String reason) {
    if (!reason.equals(lastRefusal)) {
      lastRefusal = reason;
      LOG.error("TLS files of {} refused, the previous ones stay in use: {}", port, reason);
    }
  }
}
