package dev.sash.server.http.guard;

import dev.sash.server.net.ByteBudget;
import dev.sash.server.net.PendingRequests;

/**
 * The bodies of one event loop that are not complete. Bounds the time that each may take, and the
 * bytes of all.
 */
public final class PendingBodies {
  private final ByteBudget bytes;
  private final PendingRequests pending;

  /** Creates bodies within bounds. */
  public PendingBodies(ByteBudget bytes, HttpBounds bounds) {
    this.bytes = bytes;
    this.pending = new PendingRequests(bounds.requestTimeout().toSeconds());
  }

  long maxSeconds() {
    return pending.maxSeconds();
  }

  void began(BodyReader body) {
    pending.began(body);
  }

  /** Returns the share of a body in the bytes of all requests that are not complete. */
  ByteBudget.Share share() {
    return bytes.share();
  }

  void ended(BodyReader body) {
    pending.ended(body);
  }

  /** To be called every second. */
  public void tick() {
    pending.tick();
  }
}
