package dev.sash.server.resp;

import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;

/**
 * A connection. What Vert.x does not offer it does on the channel beneath: a client that has said
 * all it wants to say (such as {@code printf … | nc}) still gets its answers.
 */
final class SocketWire implements Wire {
  private final NetSocketInternal socket;
  private final Context context = Objects.requireNonNull(Vertx.currentContext());
  private final String peer;
  private boolean closed;

  SocketWire(NetSocket socket) {
    this.socket = (NetSocketInternal) socket;
    this.peer = socket.remoteAddress() == null ? "" : socket.remoteAddress().hostAddress();
    channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
  }

  /** Tells a conversation from now on what happens. */
  void serve(Conversation conversation, Runnable whenClosed) {
    socket.handler(buffer -> conversation.received(buffer.getBytes()));
    socket.drainHandler(nothing -> conversation.drained());
    socket.shutdownHandler(nothing -> conversation.finish());
    socket.eventHandler(
        event -> {
          if (event instanceof ChannelInputShutdownEvent) {
            conversation.finish();
          }
        });
    socket.exceptionHandler(failure -> close()); // reset by the other end
    socket.closeHandler(
        nothing -> {
          closed = true;
          conversation.closed();
          whenClosed.run();
        });
  }

  private DuplexChannel channel() {
    return (DuplexChannel) socket.channelHandlerContext().channel();
  }

  @Override
  public void send(byte[] bytes, int length) {
    if (!closed) {
      socket.write(Buffer.buffer(length).appendBytes(bytes, 0, length));
    }
  }

  @Override
  public boolean isFull() {
    return !closed && socket.writeQueueFull();
  }

  @Override
  public void pause() {
    socket.pause();
  }

  @Override
  public void resume() {
    socket.resume();
  }

  @Override
  public void endOutput() {
    if (channel().isInputShutdown()) {
      socket.end();
    } else {
      // Behind what was written before: an empty write completes when all that is through.
      socket.write(Buffer.buffer()).onComplete(written -> channel().shutdownOutput());
    }
  }

  @Override
  public void close() {
    socket.close();
  }

  @Override
  public void soon(Runnable task) {
    context.runOnContext(nothing -> task.run());
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public boolean isLoopback() {
    try {
      return !peer.isEmpty() && InetAddress.getByName(peer).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
