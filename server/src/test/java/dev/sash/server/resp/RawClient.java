package dev.sash.server.resp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.server.resp.codec.ReplyReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A socket, for what no client would send. A reply that takes half a minute fails the test. */
final class RawClient implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final ReplyReader reader;

  RawClient(int port) throws IOException {
    this(port, 1);
  }

  /** Connects from 127.0.0.{@code host}. */
  RawClient(int port, int host) throws IOException {
    this(new Socket(loopback(1), port, loopback(host), 0));
  }

  private static InetAddress loopback(int host) throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) host});
  }

  RawClient(Socket connected) throws IOException {
    socket = connected;
    socket.setSoTimeout(30_000);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
    reader = new ReplyReader(in);
  }

  /** Sends as it stands. */
  void send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(UTF_8));
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** Sends one request, and returns its reply. */
  @Nullable Object ask(String... words) throws IOException {
    send(request(words));
    return reply();
  }

  @Nullable Object reply() throws IOException {
    return reader.next();
  }

  List<@Nullable Object> replies(int count) throws IOException {
    List<@Nullable Object> replies = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      replies.add(reply());
    }
    return replies;
  }

  /** Says that nothing more will be sent. */
  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  /** Everything up to the end of the connection, which must come. */
  List<@Nullable Object> repliesToTheEnd() throws IOException {
    return ReplyReader.all(in.readAllBytes());
  }

  /** A request as clients write it. */
  static byte[] request(String... words) {
    StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      int length = word.getBytes(UTF_8).length;
      request.append("$%d\r\n%s\r\n".formatted(length, word));
    }
    return request.toString().getBytes(UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
