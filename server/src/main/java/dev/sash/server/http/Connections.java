package dev.sash.server.http;

import io.vertx.core.http.HttpConnection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop. Bounds how many there are in all, and closes those that have
 * not sent a whole request for too long, whether they are silent or slow.
 */
final class Connections {
  private final AtomicInteger inAll;
  private final int most;
  private final Runnable onRefused;
  private final long idleSeconds;
  private final Map<HttpConnection, Standing> standings = new HashMap<>();
  private long nowSeconds;

  /** What is known of a connection. */
  private static final class Standing {
    private long quietSince;
    private @Nullable Exchange awaited;
  }

  /**
   * Connections.
   *
   * @param inAll counts those of all event loops
   * @param most how many there may be in all
   * @param onRefused called for each beyond that
   */
  Connections(AtomicInteger inAll, int most, Runnable onRefused, long idleSeconds) {
    this.inAll = inAll;
    this.most = most;
    this.onRefused = onRefused;
    this.idleSeconds = idleSeconds;
  }

  void opened(HttpConnection connection) {
    if (inAll.incrementAndGet() > most) {
      inAll.decrementAndGet();
      onRefused.run();
      connection.close();
      return;
    }
    Standing standing = new Standing();
    standing.quietSince = nowSeconds;
    standings.put(connection, standing);
    connection.closeHandler(
        nothing -> {
          standings.remove(connection);
          inAll.decrementAndGet();
        });
  }

  /** The head of a request came; its body is awaited. */
  void awaitsBody(HttpConnection connection, Exchange exchange) {
    Standing standing = standings.get(connection);
    if (standing != null) {
      standing.quietSince = nowSeconds;
      standing.awaited = exchange;
    }
  }

  /** All of a request came. */
  void requested(HttpConnection connection) {
    Standing standing = standings.get(connection);
    if (standing != null) {
      standing.quietSince = nowSeconds;
      standing.awaited = null;
    }
  }

  /** To be called every second. */
  void tick() {
    nowSeconds++;
    List<Map.Entry<HttpConnection, Standing>> stale = new ArrayList<>();
    for (Map.Entry<HttpConnection, Standing> entry : standings.entrySet()) {
      if (nowSeconds - entry.getValue().quietSince > idleSeconds) {
        stale.add(entry);
      }
    }
    for (Map.Entry<HttpConnection, Standing> entry : stale) {
      Exchange awaited = entry.getValue().awaited;
      if (awaited != null && !awaited.isOver()) {
        awaited.refuseAndClose(408, "body must be sent within " + idleSeconds + " seconds");
        entry.getValue().awaited = null; // should it linger on, it is closed by the next tick
      } else {
        entry.getKey().close();
      }
    }
  }
}
