package dev.sash.server.http.guard;

import dev.sash.server.net.AddressConnections;
import dev.sash.server.net.PeerAddress;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The connections of one event loop. Bounds how many there are in all and from one address, and
 * closes those that are idle for too long or take too long to send the head of a request, byte by
 * byte or not at all.
 */
public final class Connections {
  private static final long NOTHING = -1;

  private final AtomicInteger inAll;
  private final AddressConnections byAddress;
  private final HttpBounds bounds;
  private final Runnable onRefused;
  private final Map<HttpConnection, Activity> activities = new HashMap<>();
  private long nowSeconds;

  /** What a connection has sent. In HTTP/1.1, it also sees the first byte of each request. */
  private final class Activity extends ChannelInboundHandlerAdapter {
    private long quietSince = nowSeconds;
    private long receivingSince = NOTHING;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (receivingSince == NOTHING) {
        receivingSince = nowSeconds;
      }
      context.fireChannelRead(message);
    }

    void requested() {
      quietSince = nowSeconds;
      receivingSince = NOTHING;
    }

    boolean isTooSlow() {
      return isOver(quietSince, bounds.idleTimeout().toSeconds())
          || (receivingSince != NOTHING
              && isOver(receivingSince, bounds.requestTimeout().toSeconds()));
    }

    private boolean isOver(long since, long seconds) {
      return nowSeconds - since > seconds;
    }
  }

  /**
   * Creates connections.
   *
   * @param inAll counts those of all event loops
   * @param byAddress counts those of each address
   * @param bounds how many there may be in all, and how long they may take
   * @param onRefused called for each beyond that
   */
  public Connections(
      AtomicInteger inAll, AddressConnections byAddress, HttpBounds bounds, Runnable onRefused) {
    this.inAll = inAll;
    this.byAddress = byAddress;
    this.bounds = bounds;
    this.onRefused = onRefused;
  }

  /** Called when a connection is opened; closes it if there are too many. */
  public void opened(HttpConnection connection) {
    PeerAddress peer = PeerAddress.of(connection.remoteAddress().hostAddress());
    if (!counted(peer)) {
      onRefused.run();
      connection.close();
      return;
    }
    Activity activity = new Activity();
    activities.put(connection, activity);
    ChannelPipeline pipeline = ((ConnectionBase) connection).channel().pipeline();
    if (pipeline.get(HttpRequestDecoder.class) != null) {
      pipeline.addFirst(activity); // HTTP/2 has frames that belong to no request
    }
    connection.closeHandler(
        nothing -> {
          activities.remove(connection);
          inAll.decrementAndGet();
          byAddress.closed(peer);
        });
  }

  private boolean counted(PeerAddress peer) {
    if (inAll.incrementAndGet() <= bounds.maxConnections() && byAddress.opened(peer)) {
      return true;
    }
    inAll.decrementAndGet();
    return false;
  }

  /** Called when the head of a request is complete: its body has a deadline of its own. */
  public void requested(HttpConnection connection) {
    Activity activity = activities.get(connection);
    if (activity != null) {
      activity.requested();
    }
  }

  /** To be called every second. */
  public void tick() {
    nowSeconds++;
    List<HttpConnection> slow = new ArrayList<>();
    activities.forEach(
        (connection, activity) -> {
          if (activity.isTooSlow()) {
            slow.add(connection);
          }
        });
    slow.forEach(HttpConnection::close);
  }
}
