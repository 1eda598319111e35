package dev.sash.benchmarks.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;

/** An HTTP/1.1 connection that is kept alive, with one request under way at most. */
final class Connection implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 30_000;

  private final Socket socket;
  private final OutputStream out;
  private final ResponseReader responses;

  Connection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    out = socket.getOutputStream();
    responses = new ResponseReader(socket.getInputStream());
  }

  void send(byte[] request) throws IOException {
    out.write(request);
  }

  /** Waits for the response and returns its status. */
  int receive() throws IOException {
    return responses.next();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
