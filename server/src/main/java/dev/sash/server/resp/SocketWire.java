package dev.sash.server.resp;

import dev.sash.server.net.PeerAddress;
import dev.sash.server.resp.codec.Wire;
import dev.sash.server.resp.command.Conversation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection: passes input to a conversation, and sends its replies.
 *
 * <p>Vert.x accepts connections and shuts them down. This handler is in front of it on the channel,
 * because a client that has ended its output (such as {@code printf … | nc}) must receive its
 * replies: Vert.x would close the connection at once.
 */
final class SocketWire extends ChannelInboundHandlerAdapter implements Wire {
  private static final Logger LOG = LoggerFactory.getLogger(SocketWire.class);

  /** The place of Vert.x: what is done there passes it by. */
  private final ChannelHandlerContext vertx;

  private final DuplexChannel channel;
  private final PeerAddress peer;
  private @Nullable Conversation conversation;

  private boolean outputEnded;

  /** Within what was received at once: what is replied meanwhile goes out at its end. */
  private boolean reading;

  SocketWire(NetSocket socket, PeerAddress peer) {
    this.vertx = ((NetSocketInternal) socket).channelHandlerContext();
    this.channel = (DuplexChannel) vertx.channel();
    this.peer = peer;
  }

  /** Begins. */
  void serve(Conversation served) {
    conversation = served;
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    channel.pipeline().addBefore(vertx.name(), null, this);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    reading = true;
    ByteBuf received = (ByteBuf) message;
    try {
      if (conversation != null) {
        conversation.received(ByteBufUtil.getBytes(received));
      }
    } finally {
      received.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    reading = false;
    vertx.flush();
    context.fireChannelReadComplete();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable() && conversation != null) {
      conversation.drained();
    }
    context.fireChannelWritabilityChanged();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      inputEnded();
    }
    context.fireUserEventTriggered(event);
  }

  private void inputEnded() {
    if (outputEnded) {
      close();
    } else if (conversation != null) {
      conversation.finish();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (conversation != null) {
      conversation.closed();
    }
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    if (!(failure instanceof IOException)) { // which is how the other end's going shows
      LOG.error("a RESP connection failed, and is closed", failure);
    }
    close();
  }

  @Override
  public void send(byte[] bytes, int length) {
    ByteBuf buffer = channel.alloc().directBuffer(length);
    buffer.writeBytes(bytes, 0, length);
    // What fails comes as an exception caught, and closes.
    var unused =
        reading
            ? vertx.write(buffer, vertx.voidPromise())
            : vertx.writeAndFlush(buffer, vertx.voidPromise());
  }

  @Override
  public boolean isFull() {
    return channel.isActive() && !channel.isWritable();
  }

  @Override
  public void pause() {
    channel.config().setAutoRead(false);
  }

  @Override
  public void resume() {
    channel.config().setAutoRead(true);
  }

  @Override
  public void endOutput() {
    // Behind what was written before: an empty write completes when all that is through.
    vertx
        .writeAndFlush(channel.alloc().directBuffer(0))
        .addListener(
            written -> {
              outputEnded = true;
              SslHandler tls = channel.pipeline().get(SslHandler.class);
              if (channel.isInputShutdown()) {
                close();
              } else if (tls != null) {
                var unused = tls.closeOutbound(); // says that nothing was cut off
              } else {
                var unused = channel.shutdownOutput();
              }
            });
  }

  @Override
  public void close() {
    // Vert.x would first send what the other end does not take.
    var unused = vertx.close();
  }

  @Override
  public void soon(Runnable task) {
    channel.eventLoop().execute(task);
  }

  @Override
  public PeerAddress peer() {
    return peer;
  }
}
