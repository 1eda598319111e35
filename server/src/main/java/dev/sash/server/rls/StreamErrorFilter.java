package dev.sash.server.rls;

import io.grpc.StatusRuntimeException;
import io.netty.handler.codec.http2.Http2CodecUtil;
import java.util.List;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Keeps errors of clients out of the log. gRPC logs each with a stack trace, and clients cause them
 * at will: by cancelling a call while its answer waits for the client's window, by a message that
 * is too long, or by frames that violate HTTP/2, which end the connection.
 */
final class StreamErrorFilter implements Filter {
  /** Kept: the JDK holds loggers weakly, and a new one would have no filter. */
  private static final List<Logger> TRANSPORT =
      List.of(
          Logger.getLogger("io.grpc.netty.NettyServerHandler"),
          Logger.getLogger("io.grpc.netty.NettyServerStream"),
          Logger.getLogger("io.grpc.netty.NettyServerTransport.connections"));

  private StreamErrorFilter() {}

  static void install() {
    TRANSPORT.forEach(logger -> logger.setFilter(new StreamErrorFilter()));
  }

  @Override
  public boolean isLoggable(LogRecord record) {
    Throwable thrown = record.getThrown();
    boolean isOfClient =
        Http2CodecUtil.getEmbeddedHttp2Exception(thrown) != null
            || thrown instanceof StatusRuntimeException;
    return !isOfClient;
  }
}
