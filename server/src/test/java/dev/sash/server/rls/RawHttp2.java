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
final class RawHttp2 implements AutoCloseable {
  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GO_AWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int CANCEL = 8;

  private final Socket socket;
  private final OutputStream out;
  private final Map<Integer, CompletableFuture<String>> calls = new ConcurrentHashMap<>();
  private final DefaultHttp2HeadersDecoder hpack = new DefaultHttp2HeadersDecoder(false);
  private final CompletableFuture<String> end = new CompletableFuture<>();
  private final ByteArrayOutputStream unsent = new ByteArrayOutputStream();
  private int next = 1;

  /** Connects, with windows that a test never fills. */
  RawHttp2(int port) throws IOException {
    this(port, (1 << 16) - 1);
  }

  /**
   * Connects.
   *
   * @param streamWindow how many bytes the server may send on a stream
   */
  RawHttp2(int port, int streamWindow) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
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

  /** Prepares a call; {@link #flush} sends it. Returns its stream. */
  int call(String path, byte[] message, String... fields) {
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
  void cancel(int stream) {
    calls.remove(stream);
    frame(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(CANCEL).array());
  }

  /** Sends what is prepared, in one piece. */
  void flush() throws IOException {
    synchronized (out) {
      out.write(unsent.toByteArray());
    }
    unsent.reset();
  }

  /** The value of {@code grpc-status}, or what happened in its place. */
  String await(int stream) throws Exception {
    CompletableFuture<String> call = calls.get(stream);
    String outcome = (String) CompletableFuture.anyOf(call, end).get(30, TimeUnit.SECONDS);
    calls.remove(stream);
    return outcome;
  }

  boolean isOpen() {
    return !end.isDone();
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
    }
  }

  private void received(int type, int flags, int stream, byte[] payload)
      throws IOException, Http2Exception {
    switch (type) {
      case HEADERS -> {
        ByteBuf block = Unpooled.wrappedBuffer(payload);
        Http2Headers fields = hpack.decodeHeaders(stream, block);
        if ((flags & END_STREAM) != 0) {
          complete(stream, String.valueOf(fields.get("grpc-status")));
        }
      }
      case RST_STREAM -> complete(stream, "reset");
      case GO_AWAY -> end.complete("go away");
      case SETTINGS, PING -> {
        if ((flags & ACK) == 0) {
          synchronized (out) {
            out.write(bytes(type, ACK, 0, type == PING ? payload : new byte[0]));
          }
        }
      }
      default -> {}
    }
  }

  private void complete(int stream, String outcome) {
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
