package dev.sash.server.http.guard;

import dev.sash.server.net.ByteBudget;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The bodies of one event loop that are not complete. Bounds the time that each may take, and the
 * bytes of all.
 */
public final class PendingBodies {
  private final ByteBudget bytes;
  private final long maxSeconds;

  /** In the order in which they began. */
  private final Set<BodyReader> pending = new LinkedHashSet<>();

  private long nowSeconds;

  /** Creates bodies within bounds. */
  public PendingBodies(ByteBudget bytes, HttpBounds bounds) {
    this.bytes = bytes;
    this.maxSeconds = bounds.requestTimeout().toSeconds();
  }

  long maxSeconds() {
    return maxSeconds;
  }

  /** Returns the time at which a body begins. */
  long began(BodyReader body) {
    pending.add(body);
    return nowSeconds;
  }

  /** Returns the share of a body in the bytes of all requests that are not complete. */
  ByteBudget.Share share() {
    return bytes.share();
  }

  void ended(BodyReader body) {
    pending.remove(body);
  }

  /** To be called every second. */
  public void tick() {
    nowSeconds++;
    List<BodyReader> late = new ArrayList<>();
    for (BodyReader body : pending) {
      if (nowSeconds - body.since() <= maxSeconds) {
        break;
      }
      late.add(body);
    }
    late.forEach(BodyReader::expire);
  }
}
