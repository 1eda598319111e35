package dev.sash.testkit.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports of the loopback address.
 *
 * <p>They lie below those that the system gives to outgoing connections: else some client could
 * take the port of a server that is down until its restart. The second half of the range is left to
 * the bus of cluster nodes, which listens {@value #BUS} above.
 */
final class Ports {
  private static final int FIRST = 11_000;
  private static final int BUS = 10_000;
  private static final int TRIES = 1_000;

  private static final Set<Integer> TAKEN = ConcurrentHashMap.newKeySet();

  private Ports() {}

  /** A port that is free together with its bus port, and given to no other until released. */
  static int take() {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, FIRST + BUS);
      if (TAKEN.add(port)) {
        if (isFree(port) && isFree(port + BUS)) {
          return port;
        }
        TAKEN.remove(port);
      }
    }
    throw new IllegalStateException("no free port in " + TRIES + " tries from " + FIRST);
  }

  static void release(int port) {
    TAKEN.remove(port);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
