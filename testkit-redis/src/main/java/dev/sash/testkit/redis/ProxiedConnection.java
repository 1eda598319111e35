package dev.sash.testkit.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * A client's connection through a {@link FaultProxy}, and the one behind it to the server.
 *
 * <p>Each side has a thread that reads and one that writes. When one side ends, the other is ended
 * in order and read until it ends too: closing a socket that has unread bytes resets it, and the
 * server would lose requests that were already forwarded.
 */
final class ProxiedConnection {
  private static final int BUFFER_BYTES = 16 * 1024;

  private interface Task {
    void run() throws IOException, InterruptedException;
  }

  private final FaultProxy proxy;
  private final Executor threads;
  private final Socket client;
  private final Socket server = new Socket();
  private final Lane requests = new Lane();
  private final Lane replies = new Lane();
  private volatile boolean cut;
  // The rest is guarded by this.
  private int tasks;
  private boolean connected;
  private boolean clientEnded;
  private boolean serverEnded;

  ProxiedConnection(FaultProxy proxy, Executor threads, Socket client) {
    this.proxy = proxy;
    this.threads = threads;
    this.client = client;
  }

  void start() {
    run(this::readClient);
    run(() -> replies.deliverTo(client));
  }

  /** Ends the connection in order: the client reads an end, the server all that was forwarded. */
  void cut() {
    cut = true;
    requests.end();
    try {
      client.shutdownOutput();
    } catch (IOException e) {
      // The client was faster.
    }
  }

  /** Ends the connection as if the client's peer had crashed. */
  void reset() {
    requests.end();
    resetClient();
  }

  /** Frees both sides at once. */
  void close() {
    requests.end();
    replies.end();
    closeQuietly(client);
    closeQuietly(server);
    proxy.forget(this);
  }

  private void readClient() throws IOException {
    try {
      client.setTcpNoDelay(true);
      if (proxy.fault().requests()) {
        connect();
      }
      InputStream in = client.getInputStream();
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        FaultProxy.Fault fault = proxy.fault();
        if (fault.requests() && !cut) {
          connect();
          forward(Arrays.copyOf(buffer, n), fault.delayNanos());
        }
      }
    } finally {
      requests.end();
      clientHasEnded();
    }
  }

  /** Redis never speaks first, so that a connection that sends nothing needs no server. */
  private void connect() throws IOException {
    synchronized (this) {
      if (serverEnded) {
        // Its end may have been lost in a black hole: what is sent into it meets a reset, as ever.
        resetClient();
        throw new SocketException("the server has closed the connection");
      }
      if (connected) {
        return;
      }
    }
    server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.target()));
    server.setTcpNoDelay(true);
    synchronized (this) {
      connected = true;
    }
    run(this::readServer);
    run(() -> requests.deliverTo(server));
  }

  private void forward(byte[] bytes, long delayNanos) {
    int last = proxy.untilReset(bytes.length);
    if (last == FaultProxy.NO_RESET) {
      requests.send(bytes, delayNanos);
    } else {
      // First the client: so it never sees the reply to what is forwarded here.
      resetClient();
      requests.send(Arrays.copyOf(bytes, last), delayNanos);
    }
  }

  private void readServer() throws IOException, InterruptedException {
    try {
      InputStream in = server.getInputStream();
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        FaultProxy.Fault fault = proxy.faultOfReplies();
        if (fault.replies()) {
          replies.send(Arrays.copyOf(buffer, n), fault.delayNanos());
        }
      }
    } finally {
      requests.end();
      serverHasEnded();
    }
  }

  private synchronized void clientHasEnded() {
    clientEnded = true;
    if (serverEnded || !connected) {
      replies.end();
    }
  }

  private synchronized void serverHasEnded() {
    serverEnded = true;
    // To a client that shall hear nothing, the end is something too.
    if (clientEnded || proxy.fault().replies()) {
      replies.end();
    }
  }

  private void resetClient() {
    try {
      client.setSoLinger(true, 0);
    } catch (SocketException e) {
      // Closed already.
    }
    closeQuietly(client);
  }

  private void run(Task task) {
    synchronized (this) {
      tasks++;
    }
    try {
      threads.execute(
          () -> {
            try {
              task.run();
            } catch (IOException e) {
              // One side is gone; whoever reads it sees that too.
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            } finally {
              taskHasEnded();
            }
          });
    } catch (RejectedExecutionException e) {
      // The proxy is being closed.
      close();
    }
  }

  private void taskHasEnded() {
    boolean last;
    synchronized (this) {
      last = --tasks == 0;
    }
    if (last) {
      close();
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no use any more either way.
    }
  }
}
