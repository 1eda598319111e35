package dev.sash.server.rls;

import dev.sash.server.net.ConnectionLimit;
import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;

/** Accepts connections as long as there are not too many; gRPC itself has no such bound. */
final class LimitedServerChannel extends NioServerSocketChannel {
  private final ConnectionLimit limit;

  LimitedServerChannel(ConnectionLimit limit) {
    this.limit = limit;
  }

  @Override
  protected int doReadMessages(List<Object> accepted) throws Exception {
    int read = super.doReadMessages(accepted);
    int last = accepted.size() - 1;
    if (read > 0
        && accepted.get(last) instanceof Channel connection
        && limit.admit(connection) != ConnectionLimit.Admission.ADMITTED) {
      accepted.remove(last);
      connection.unsafe().closeForcibly();
    }
    return read;
  }
}
