package dev.sash.server.http.guard;

import dev.sash.server.net.ConnectionLimit;
import io.netty.channel.Channel;
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

/**
 * The connections of one event loop. Bounds how many there are in all and from one address, and
 * closes those that are idle for too long or take too long to send the head of a request, byte by
 * byte or not at all.
 */
public final class Connections {
  private static final long NOTHING = -1;

  private final ConnectionLimit limit;
  private final HttpBounds bounds;
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
   * @param limit how many there may be, over all event loops
   * @param bounds how long they may take
   */
  public Connections(ConnectionLimit limit, HttpBounds bounds) {
    this.limit = limit;
    this.bounds = bounds;
  }

  /** Called when a connection is opened; closes it if there are too many. */
  public void opened(HttpConnection connection) {
    Channel channel = ((ConnectionBase) connection).channel();
    if (limit.admit(channel) != ConnectionLimit.Admission.ADMITTED) {
      connection.close();
      return;
    }
    Activity activity = new Activity();
    activities.put(connection, activity);
    ChannelPipeline pipeline = channel.pipeline();
    if (pipeline.get(HttpRequestDecoder.class) != null) {
      pipeline.addFirst(activity); // HTTP/2 has frames that belong to no request
    }
    connection.closeHandler(nothing -> activities.remove(connection));
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
