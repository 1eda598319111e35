package dev.sash.server.net;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSessionContext;

/**
 * TLS of the JDK for a port of Vert.x, which counts connections before their handshake. Vert.x
 * itself reports a connection only when its handshake is over.
 */
final class LimitedTls extends JdkSSLEngineOptions {
  private final ConnectionLimit limit;

  LimitedTls(ConnectionLimit limit) {
    this.limit = limit;
  }

  private LimitedTls(LimitedTls other) {
    super(other);
    this.limit = other.limit;
  }

  @Override
  public LimitedTls copy() {
    return new LimitedTls(this);
  }

  @Override
  public SslContextFactory sslContextFactory() {
    return new DefaultSslContextFactory(SslProvider.JDK, false) {
      @Override
      public SslContext create() throws SSLException {
        return new LimitedContext(super.create(), limit);
      }
    };
  }

  /** Is added to a connection as soon as it is accepted. */
  private static final class LimitedHandler extends SslHandler {
    private final ConnectionLimit limit;

    LimitedHandler(SSLEngine engine, boolean startTls, Executor tasks, ConnectionLimit limit) {
      super(engine, startTls, tasks);
      this.limit = limit;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) throws Exception {
      super.handlerAdded(context);
      if (limit.admit(context.channel()) != ConnectionLimit.Admission.ADMITTED) {
        var unused = context.close(); // without a word of TLS
      }
    }
  }

  private static final class LimitedContext extends SslContext {
    private final SslContext context;
    private final ConnectionLimit limit;

    LimitedContext(SslContext context, ConnectionLimit limit) {
      this.context = context;
      this.limit = limit;
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator allocator, boolean startTls, Executor tasks) {
      return new LimitedHandler(newEngine(allocator), startTls, tasks, limit);
    }

    @Override
    protected SslHandler newHandler(
        ByteBufAllocator allocator, String host, int port, boolean startTls, Executor tasks) {
      return new LimitedHandler(newEngine(allocator, host, port), startTls, tasks, limit);
    }

    @Override
    public boolean isClient() {
      return context.isClient();
    }

    @Override
    public List<String> cipherSuites() {
      return context.cipherSuites();
    }

    @Override
    @SuppressWarnings("deprecation") // the type is, and not what replaces it
    public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
      return context.applicationProtocolNegotiator();
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator) {
      return context.newEngine(allocator);
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
      return context.newEngine(allocator, host, port);
    }

    @Override
    public SSLSessionContext sessionContext() {
      return context.sessionContext();
    }
  }
}
