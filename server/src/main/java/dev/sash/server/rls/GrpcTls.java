package dev.sash.server.rls;

import dev.sash.server.net.TlsFiles;
import dev.sash.server.net.TlsReloader;
import io.grpc.netty.GrpcSslContexts;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.TrustOptions;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/** TLS of the gRPC port: each connection uses the context that is current when it is opened. */
public final class GrpcTls extends SslContext {
  private final Vertx vertx;
  private volatile SslContext current;

  private GrpcTls(Vertx vertx, ServerSSLOptions options) {
    this.vertx = vertx;
    this.current = context(options);
  }

  /**
   * Returns TLS that follows its files; see {@link TlsReloader}.
   *
   * @param vertx watches the files
   * @param files the files
   * @return the context of the port
   * @throws IllegalArgumentException if the files cannot be used
   */
  public static SslContext following(Vertx vertx, TlsFiles files) {
    NetServerOptions options = new NetServerOptions();
    TlsReloader reloader = TlsReloader.configure(vertx, "gRPC", files, options);
    GrpcTls tls = new GrpcTls(vertx, options.getSslOptions());
    reloader.watch(
        changed -> {
          tls.current = tls.context(changed);
          return Future.succeededFuture(true);
        });
    return tls;
  }

  private SslContext context(ServerSSLOptions options) {
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(options.getKeyCertOptions().getKeyManagerFactory(vertx));
      TrustOptions authorities = options.getTrustOptions();
      if (authorities != null) {
        builder
            .trustManager(authorities.getTrustManagerFactory(vertx))
            .clientAuth(ClientAuth.REQUIRE);
      }
      return GrpcSslContexts.configure(builder).build();
    } catch (Exception e) {
      throw new IllegalArgumentException("TLS files cannot be used: " + e.getMessage(), e);
    }
  }

  @Override
  public boolean isClient() {
    return false;
  }

  @Override
  public List<String> cipherSuites() {
    return current.cipherSuites();
  }

  @Override
  @SuppressWarnings("deprecation") // the type is, and not what replaces it
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.applicationProtocolNegotiator();
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator) {
    return current.newEngine(allocator);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
    return current.newEngine(allocator, host, port);
  }

  @Override
  public SSLSessionContext sessionContext() {
    return current.sessionContext();
  }
}
