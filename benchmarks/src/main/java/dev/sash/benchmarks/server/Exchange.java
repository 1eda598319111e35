package dev.sash.benchmarks.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * A connection with at most one request under way. It does not block: the driver polls many of them
 * in turn for their responses, which costs less than being woken up.
 */
abstract class Exchange implements Closeable {
  private static final int LONGEST = 1 << 20;

  private final SocketChannel channel;

  /** What has come of the answer. */
  final byte[] answer = new byte[LONGEST];

  /** How much of it. */
  int filled;

  private final ByteBuffer incoming = ByteBuffer.allocateDirect(LONGEST);

  Exchange(int port) throws IOException {
    channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
  }

  final void send(ByteBuffer request) throws IOException {
    while (request.hasRemaining()) {
      if (channel.write(request) == 0) {
        Thread.onSpinWait();
      }
    }
  }

  /** Sends a request. The response to the last one has been received. */
  void ask(byte[] request) throws IOException {
    send(ByteBuffer.wrap(request));
  }

  /**
   * Whether the answer is there.
   *
   * @throws IOException if it is not the answer that was to come
   */
  final boolean isAnswered() throws IOException {
    incoming.clear().limit(LONGEST - filled);
    int read = channel.read(incoming);
    if (read == 0) {
      return false;
    }
    if (read < 0) {
      throw new EOFException("the server closed the connection after " + filled + " bytes");
    }
    incoming.flip().get(answer, filled, read);
    filled += read;
    return isWhole();
  }

  /** Waits for the answer, as long as anybody would. */
  final void await() throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!isAnswered()) {
      if (System.nanoTime() > end) {
        throw new IOException("no answer but " + new String(answer, 0, filled, ISO_8859_1));
      }
    }
  }

  /** Whether what has come is the whole answer, and the right one; it is not needed any more. */
  abstract boolean isWhole() throws IOException;

  @Override
  public final void close() throws IOException {
    channel.close();
  }
}
