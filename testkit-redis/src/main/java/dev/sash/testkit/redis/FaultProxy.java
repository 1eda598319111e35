package dev.sash.testkit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A TCP proxy before a server that spoils the connection as a network can.
 *
 * <pre>{@code
 * try (FaultProxy proxy = FaultProxy.to(server)) {
 *   RedisClient client = RedisClient.create(proxy.uri());
 *   proxy.blackHole();
 *   ...
 *   proxy.pass();
 * }
 * }</pre>
 *
 * <p>{@link #pass}, {@link #delay}, {@link #blackHole}, {@link #dropReplies}, {@link #holdReplies}
 * and {@link #refuse} each replace the one before, for open connections too, and hold for what
 * arrives afterwards. {@link #cut} and {@link #reset} happen once. A connection is open to the
 * proxy a moment after the client believes so: to be sure, let it answer something first.
 *
 * <p>Thread-safe. It follows a server that is killed and restarted.
 */
public final class FaultProxy implements AutoCloseable {
  /**
   * What happens to bytes.
   *
   * @param accepts whether new connections stay open
   * @param requests whether what the client sends is forwarded
   * @param replies whether what the server sends is forwarded
   * @param holds whether replies wait for another fault before they are forwarded
   * @param delayNanos how late
   */
  record Fault(
      boolean accepts, boolean requests, boolean replies, boolean holds, long delayNanos) {}

  static final int NO_RESET = -1;

  private static final Fault NONE = new Fault(true, true, true, false, 0);
  private static final Fault REFUSE = new Fault(false, false, false, false, 0);
  private static final long CLOSE_SECONDS = 10;

  private final int target;
  private final ServerSocket listener;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "sash-fault-proxy");
            thread.setDaemon(true);
            return thread;
          });
  private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile Fault fault = NONE;
  // Guarded by this.
  private long bytesToReset = NO_RESET;
  private int held;
  private long changes;

  private FaultProxy(int target) throws IOException {
    this.target = target;
    listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  /**
   * A proxy before a server's port without TLS, on a free port. At first it only passes on.
   *
   * @param server the server
   * @return a proxy that listens
   */
  public static FaultProxy to(RedisServer server) {
    return to(server.port());
  }

  /**
   * A proxy before a port of the loopback address, on a free port. At first it only passes on.
   *
   * @param port where the server listens; the client has to speak first there
   * @return a proxy that listens
   */
  public static FaultProxy to(int port) {
    try {
      return new FaultProxy(port);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen", e);
    }
  }

  /**
   * Where the proxy listens.
   *
   * @return the loopback address
   */
  public String host() {
    return RedisServer.HOST;
  }

  /**
   * Where the proxy listens.
   *
   * @return the port
   */
  public int port() {
    return listener.getLocalPort();
  }

  /**
   * The address of the proxy.
   *
   * @return {@code redis://host:port}
   */
  public String uri() {
    return "redis://%s:%d".formatted(host(), port());
  }

  /**
   * How many connections are open now.
   *
   * @return 0 or more; one that was cut counts until the client and the server have closed it
   */
  public int connections() {
    return connections.size();
  }

  /** Forwards everything at once. What was delayed before still comes when it is due. */
  public void pass() {
    become(NONE);
  }

  /**
   * Forwards everything late, requests and replies each. Nothing waits for anything but its own
   * delay and what came before it on the same way.
   *
   * @param delay how late
   */
  public void delay(Duration delay) {
    become(new Fault(true, true, true, false, delay.toNanos()));
  }

  /** Accepts connections and swallows all they send; answers nothing, not even an end. */
  public void blackHole() {
    become(new Fault(true, false, false, false, 0));
  }

  /** Forwards requests, so that they are executed, and swallows the replies. */
  public void dropReplies() {
    become(new Fault(true, true, false, false, 0));
  }

  /**
   * Forwards requests, and holds on each connection the next bytes of replies until another fault
   * replaces this one: then they are forwarded, and the other fault applies to what follows them.
   * Called again, it forwards what is held and holds what comes next.
   */
  public void holdReplies() {
    become(new Fault(true, true, true, true, 0));
  }

  /**
   * Returns the number of connections on which replies are held now.
   *
   * @return 0 or more
   */
  public synchronized int held() {
    return held;
  }

  /** Cuts all connections, and closes new ones at once. */
  public void refuse() {
    become(REFUSE);
    cut();
  }

  /** Ends the open connections in order: the client reads an end of the stream. */
  public void cut() {
    connections.forEach(ProxiedConnection::cut);
  }

  /** Resets the open connections: the client's next read or write fails. */
  public void reset() {
    connections.forEach(ProxiedConnection::reset);
  }

  /**
   * Resets, once, the connection on which the last of so many bytes of requests arrives. The server
   * gets them all and no more, the client no reply to them; so that, depending on the number, a
   * command is cut in two, or executed without an answer. Other calls do not undo it.
   *
   * @param requestBytes how many, of all connections together, counted from now on; at least 1
   */
  public synchronized void resetAfter(long requestBytes) {
    if (requestBytes < 1) {
      throw new IllegalArgumentException("requestBytes must be at least 1, was " + requestBytes);
    }
    bytesToReset = requestBytes;
  }

  /** Closes all connections, and stops to listen. */
  @Override
  public void close() {
    // A connection that is just being accepted closes itself.
    become(REFUSE);
    try {
      listener.close();
      connections.forEach(ProxiedConnection::close);
      threads.shutdownNow();
      if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "waited %d s for the threads of %s; last seen: %s"
                .formatted(CLOSE_SECONDS, this, threads));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while closing " + this, e);
    }
  }

  @Override
  public String toString() {
    return "proxy at %s:%d to %d, %s, %d connections"
        .formatted(host(), port(), target, fault, connections());
  }

  int target() {
    return target;
  }

  Fault fault() {
    return fault;
  }

  private synchronized void become(Fault next) {
    fault = next;
    held = 0;
    changes++;
    notifyAll();
  }

  /** Returns the fault for replies that have arrived, when they may be forwarded if at all. */
  synchronized Fault faultOfReplies() throws InterruptedException {
    Fault found = fault;
    if (found.holds()) {
      held++;
      for (long before = changes; changes == before; ) {
        wait();
      }
    }
    return found;
  }

  /** How many of the next bytes pass before a reset, all included; NO_RESET if it is not due. */
  synchronized int untilReset(int bytes) {
    if (bytesToReset == NO_RESET) {
      return NO_RESET;
    }
    if (bytes < bytesToReset) {
      bytesToReset -= bytes;
      return NO_RESET;
    }
    int last = (int) bytesToReset;
    bytesToReset = NO_RESET;
    return last;
  }

  void forget(ProxiedConnection connection) {
    connections.remove(connection);
  }

  private void accept() {
    while (true) {
      Socket client;
      try {
        client = listener.accept();
      } catch (IOException e) {
        // The proxy is being closed.
        return;
      }
      ProxiedConnection connection = new ProxiedConnection(this, threads, client);
      connections.add(connection);
      // Asked only now, so that none slips in while others are cut.
      if (fault.accepts()) {
        connection.start();
      } else {
        connection.close();
      }
    }
  }
}
