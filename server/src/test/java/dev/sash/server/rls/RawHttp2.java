package dev.sash.server.rls;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * An HTTP/2 connection of which every frame is sent by hand, at moments that no library lets a test
 * choose. One thread sends; another one, of its own, receives.
 */
public final class RawHttp2 implements AutoCloseable {
  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GO_AWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int CONTINUATION = 9;
  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int PRIORITY = 32;
  private static final int PRIORITY_BYTES = 5;
  private static final int CANCEL = 8;

  private final Socket socket;
  private final OutputStream out;
  private final Map<Integer, CompletableFuture<String>> calls = new ConcurrentHashMap<>();
  private final DefaultHttp2HeadersDecoder hpack = new DefaultHttp2HeadersDecoder(false);
  private final Map<Integer, String> statuses = new ConcurrentHashMap<>();
  private final CompletableFuture<String> end = new CompletableFuture<>();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  /** Completed when the settings of the server are acknowledged: nothing else is sent unasked. */
  private final CompletableFuture<String> settled = new CompletableFuture<>();

  private volatile CompletableFuture<String> pong = new CompletableFuture<>();
  private volatile boolean ignoresPings;
  private final ByteArrayOutputStream unsent = new ByteArrayOutputStream();
  private int next = 1;

  /** Connects, with windows that a test never fills. */
  public RawHttp2(int port) throws IOException {
    this(port, (1 << 16) - 1);
  }

  /**
   * Connects.
   *
   * @param streamWindow how many bytes the server may send on a stream
   */
  RawHttp2(int port, int streamWindow) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port), streamWindow);
  }

  /**
   * Begins to speak on a connection, such as one with TLS.
   *
   * @param streamWindow how many bytes the server may send on a stream
   */
  public RawHttp2(Socket socket, int streamWindow) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    out = socket.getOutputStream();
    unsent.writeBytes(PREFACE);
    byte[] settings = ByteBuffer.allocate(6).putShort((short) 4).putInt(streamWindow).array();
    frame(SETTINGS, 0, 0, settings);
    frame(WINDOW_UPDATE, 0, 0, ByteBuffer.allocate(4).putInt(1 << 30).array());
    flush();
    Thread reader = new Thread(this::read, "raw-http2");
    reader.setDaemon(true);
    reader.start();
  }

  /** Prepares the head of a request whose body follows. Returns its stream. */
  public int open(String path, String... fields) {
    return open(END_HEADERS, path, fields);
  }

  /** Prepares the head of a request without a body. Returns its stream. */
  public int request(String path, String... fields) {
    return open(END_HEADERS | END_STREAM, path, fields);
  }

  /**
   * Prepares the beginning of a head, to be continued. Returns its stream.
   *
   * <p>No other frame may come between. So this waits for the settings of the server, which are
   * acknowledged.
   */
  public int openUnfinished(String path) throws Exception {
    CompletableFuture.anyOf(settled, end).get(60, TimeUnit.SECONDS);
    return open(0, path);
  }

  private int open(int flags, String path, String... fields) {
    int stream = next;
    next += 2;
    calls.put(stream, new CompletableFuture<>());
    frame(HEADERS, flags, stream, block(path, fields));
    return stream;
  }

  /** Prepares more of a head that still is not complete. */
  public void continuation(int stream, byte[] block) {
    frame(CONTINUATION, 0, stream, block);
  }

  /** Prepares a piece of a body that still is not complete. */
  public void data(int stream, byte[] piece) {
    frame(DATA, 0, stream, piece);
  }

  /** Prepares the last piece of a body. */
  public void lastData(int stream, byte[] piece) {
    frame(DATA, END_STREAM, stream, piece);
  }

  /** Prepares a ping. */
  public void ping() {
    frame(PING, 0, 0, new byte[8]);
  }

  /** Leaves pings of the server without an answer, from now on. */
  public void ignorePings() {
    ignoresPings = true;
  }

  /** Prepares a call; {@link #flush} sends it. Returns its stream. */
  public int call(String path, byte[] message, String... fields) {
    int stream = next;
    next += 2;
    calls.put(stream, new CompletableFuture<>());
    frame(HEADERS, END_HEADERS, stream, block(path, fields));
    byte[] framed = ByteBuffer.allocate(5 + message.length).putInt(1, message.length).array();
    System.arraycopy(message, 0, framed, 5, message.length);
    frame(DATA, END_STREAM, stream, framed);
    return stream;
  }

  /** Prepares to cancel a call. */
  public void cancel(int stream) {
    calls.remove(stream);
    frame(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(CANCEL).array());
  }

  /** Sends what is prepared, and returns when the server has read it or the connection ended. */
  public void roundTrip() throws Exception {
    pong = new CompletableFuture<>();
    ping();
    flush();
    CompletableFuture.anyOf(pong, end).get(60, TimeUnit.SECONDS);
  }

  /** Sends what is prepared, in one piece. */
  public void flush() throws IOException {
    synchronized (out) {
      out.write(unsent.toByteArray());
    }
    unsent.reset();
  }

  /** The value of {@code grpc-status} or {@code :status}, or what happened in its place. */
  public String await(int stream) throws Exception {
    CompletableFuture<String> call = calls.get(stream);
    String outcome = (String) CompletableFuture.anyOf(call, end).get(30, TimeUnit.SECONDS);
    calls.remove(stream);
    return outcome;
  }

  public boolean isOpen() {
    return !end.isDone();
  }

  /**
   * Returns when the server has closed the connection.
   *
   * @return the first sign of the end: what the server said when it went away, or that it closed
   */
  public String awaitClose() throws Exception {
    closed.get(60, TimeUnit.SECONDS);
    return end.join();
  }

  private void read() {
    try {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        int lengthAndType = in.readInt();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        byte[] payload = new byte[lengthAndType >>> 8];
        in.readFully(payload);
        received(lengthAndType & 0xff, flags, stream, payload);
      }
    } catch (IOException | Http2Exception e) {
      end.complete("closed: " + e);
    } finally {
      closed.complete(null);
    }
  }

  private void received(int type, int flags, int stream, byte[] payload)
      throws IOException, Http2Exception {
    switch (type) {
      case HEADERS -> {
        int start = (flags & PRIORITY) == 0 ? 0 : PRIORITY_BYTES;
        ByteBuf block = Unpooled.wrappedBuffer(payload, start, payload.length - start);
        Http2Headers fields = hpack.decodeHeaders(stream, block);
        CharSequence status =
            fields.get(fields.contains("grpc-status") ? "grpc-status" : ":status");
        statuses.put(stream, String.valueOf(status));
        if ((flags & END_STREAM) != 0) {
          complete(stream, statuses.get(stream));
        }
      }
      case DATA -> {
        if ((flags & END_STREAM) != 0) {
          complete(stream, statuses.get(stream));
        }
      }
      case RST_STREAM -> complete(stream, "reset");
      case GO_AWAY ->
          end.complete(
              "go away with error %d: %s"
                  .formatted(
                      ByteBuffer.wrap(payload).getInt(4),
                      new String(payload, 8, payload.length - 8, US_ASCII)));
      case SETTINGS, PING -> {
        if (type == PING && ignoresPings) {
          break;
        }
        if ((flags & ACK) == 0) {
          synchronized (out) {
            out.write(bytes(type, ACK, 0, type == PING ? payload : new byte[0]));
          }
          settled.complete("settled");
        } else if (type == PING) {
          pong.complete("pong");
        }
      }
      default -> {}
    }
  }

  private void complete(int stream, String outcome) {
    statuses.remove(stream);
    CompletableFuture<String> call = calls.get(stream);
    if (call != null) {
      call.complete(outcome);
    }
  }

  private void frame(int type, int flags, int stream, byte[] payload) {
    unsent.writeBytes(bytes(type, flags, stream, payload));
  }

  private static byte[] bytes(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(9 + payload.length)
        .putInt(payload.length << 8 | type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  private static byte[] block(String path, String... more) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    field(block, ":method", "POST");
    field(block, ":scheme", "http");
    field(block, ":path", path);
    field(block, ":authority", "localhost");
    field(block, "content-type", "application/grpc");
    field(block, "te", "trailers");
    for (int i = 0; i < more.length; i += 2) {
      field(block, more[i], more[i + 1]);
    }
    return block.toByteArray();
  }

  /** A literal that is not indexed, of less than 127 characters. */
  private static void field(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    for (String text : new String[] {name, value}) {
      block.write(text.length());
      block.writeBytes(text.getBytes(US_ASCII));
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
