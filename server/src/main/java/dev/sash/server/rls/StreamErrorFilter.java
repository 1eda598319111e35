package dev.sash.server.rls;

import io.grpc.StatusRuntimeException;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.List;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Keeps errors of single calls out of the log. gRPC warns of each with a stack trace, and clients
 * cause them at will: by cancelling a call while its answer waits for the client's window, or by a
 * message that is too long.
 */
final class StreamErrorFilter implements Filter {
  /** Kept: the JDK holds loggers weakly, and a new one would have no filter. */
  private static final List<Logger> TRANSPORT =
      List.of(
          Logger.getLogger("io.grpc.netty.NettyServerHandler"),
          Logger.getLogger("io.grpc.netty.NettyServerStream"));

  private StreamErrorFilter() {}

  static void install() {
    TRANSPORT.forEach(logger -> logger.setFilter(new StreamErrorFilter()));
  }

  @Override
  public boolean isLoggable(LogRecord record) {
    Throwable thrown = record.getThrown();
    Http2Exception error = Http2CodecUtil.getEmbeddedHttp2Exception(thrown);
    boolean isOfStream = error != null && Http2Exception.isStreamError(error);
    return !isOfStream && !(thrown instanceof StatusRuntimeException);
  }
}
