package dev.sash.testkit.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One connection that speaks RESP2, request by request. Small on purpose: what starts and stops
 * servers must not depend on the client under test.
 */
final class Resp implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /** Connects to a port of the loopback address; no reply may take longer than the limit. */
  Resp(int port, Duration limit) throws IOException {
    int limitMillis = Math.toIntExact(limit.toMillis());
    socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), limitMillis);
      socket.setSoTimeout(limitMillis);
      socket.setTcpNoDelay(true);
      in = new BufferedInputStream(socket.getInputStream());
      out = socket.getOutputStream();
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Asks and waits for the reply.
   *
   * @return a String, a Long, a List of these, or null
   * @throws RedisReplyException if the reply is an error
   */
  @Nullable Object call(String... words) throws IOException {
    out.write(request(words));
    return reply();
  }

  /** A reply that can only be an array. */
  static List<?> list(@Nullable Object reply) {
    return (List<?>) Objects.requireNonNull(reply, "an array was expected");
  }

  /** The bytes of a request. */
  static byte[] request(String... words) {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(("*" + words.length + "\r\n").getBytes(US_ASCII));
    for (String word : words) {
      byte[] bytes = word.getBytes(UTF_8);
      request.writeBytes(("$" + bytes.length + "\r\n").getBytes(US_ASCII));
      request.writeBytes(bytes);
      request.writeBytes("\r\n".getBytes(US_ASCII));
    }
    return request.toByteArray();
  }

  private @Nullable Object reply() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> throw new RedisReplyException(rest);
      case ':' -> Long.valueOf(rest);
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> array(Integer.parseInt(rest));
      default -> throw new IOException("not RESP2: " + line);
    };
  }

  private @Nullable String bulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length);
    // The line that ends the bytes; its absence also tells that there were too few.
    line();
    return new String(bytes, UTF_8);
  }

  private @Nullable List<@Nullable Object> array(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    List<@Nullable Object> array = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      array.add(reply());
    }
    return array;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
