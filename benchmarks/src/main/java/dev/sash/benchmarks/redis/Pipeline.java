package dev.sash.benchmarks.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A connection that keeps the server busy with as little work of its own as possible: requests go
 * out in batches, the next ones while some are being answered, so that the server never waits for
 * this side.
 */
final class Pipeline implements AutoCloseable {
  /** How many requests go out together. */
  static final int BATCH = 16;

  /** How many batches are under way. */
  static final int BATCHES = 4;

  private static final int CRLF = 2;

  private final Socket socket;
  private final OutputStream out;
  private final InputStream in;

  Pipeline(String host, int port) throws IOException {
    socket = new Socket(host, port);
    socket.setTcpNoDelay(true);
    out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
    in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
  }

  /** The bytes of a script's call. */
  static byte[] request(String sha1, Script.Call call) {
    Stream<String> names =
        Stream.concat(
            Stream.of("EVALSHA", sha1, Integer.toString(call.keys().size())), call.keys().stream());
    List<byte[]> words =
        Stream.concat(names.map(name -> name.getBytes(UTF_8)), call.arguments().stream()).toList();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(("*" + words.size() + "\r\n").getBytes(UTF_8));
    for (byte[] word : words) {
      bytes.writeBytes(("$" + word.length + "\r\n").getBytes(UTF_8));
      bytes.writeBytes(word);
      bytes.writeBytes("\r\n".getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }

  /**
   * Sends requests and waits for all responses.
   *
   * @param requests the bytes of one after the other
   * @param count how many
   * @return how many were allowed: the answer is 1, or a string that begins with the number 1
   */
  long ask(Supplier<byte[]> requests, int count) throws IOException {
    long allowed = 0;
    int unanswered = 0;
    for (int sent = 0; sent < count; ) {
      int batch = Math.min(BATCH, count - sent);
      for (int i = 0; i < batch; i++) {
        out.write(requests.get());
      }
      out.flush();
      sent += batch;
      unanswered += batch;
      if (unanswered >= BATCH * BATCHES) {
        allowed += answers(BATCH);
        unanswered -= BATCH;
      }
    }
    return allowed + answers(unanswered);
  }

  private long answers(int count) throws IOException {
    long allowed = 0;
    for (int i = 0; i < count; i++) {
      if (answer() == 1) {
        allowed++;
      }
    }
    return allowed;
  }

  /** An integer, or the number of 16 bits with which a string begins. */
  private long answer() throws IOException {
    int type = in.read();
    return switch (type) {
      case ':' -> number();
      case '$' -> first(number());
      case -1 -> throw new EOFException("the server closed the connection");
      default -> throw new IllegalStateException("not a decision: " + (char) type + line());
    };
  }

  private long first(long size) throws IOException {
    byte[] text = in.readNBytes((int) size + CRLF);
    return ByteBuffer.wrap(text).order(ByteOrder.LITTLE_ENDIAN).getShort();
  }

  private long number() throws IOException {
    long number = 0;
    boolean negative = false;
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b == '-') {
        negative = true;
      } else if (b != '\r') {
        number = 10 * number + (b - '0');
      }
    }
    return negative ? -number : number;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\r' && b >= 0; b = in.read()) {
      line.write(b);
    }
    return line.toString(UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
