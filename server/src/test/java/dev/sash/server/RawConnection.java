package dev.sash.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;

/** A connection on which anything can be sent. */
final class RawConnection implements AutoCloseable {
  private final Socket socket;

  RawConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(20_000);
  }

  RawConnection send(String text) throws IOException {
    return send(text.getBytes(ISO_8859_1));
  }

  RawConnection send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Sends nothing more, and goes on listening. */
  RawConnection halfClose() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /** Everything that comes until the server closes the connection. */
  String everything() throws IOException {
    StringBuilder text = new StringBuilder();
    byte[] buffer = new byte[8192];
    try {
      for (int n = socket.getInputStream().read(buffer);
          n >= 0;
          n = socket.getInputStream().read(buffer)) {
        text.append(new String(buffer, 0, n, ISO_8859_1));
      }
    } catch (SocketException e) {
      // Reset: the server closed before it had read all.
    }
    return text.toString();
  }

  /** What comes up to some text. */
  String until(String end) throws IOException {
    StringBuilder text = new StringBuilder();
    while (text.indexOf(end) < 0) {
      int c = socket.getInputStream().read();
      if (c < 0) {
        return text.toString();
      }
      text.append((char) c);
    }
    return text.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
