package dev.sash.server.net;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The requests of one event loop that are not complete. Bounds the time that each may take. Not
 * thread-safe.
 */
public final class PendingRequests {
  private final long maxSeconds;

  /** In the order in which they began. */
  private final Set<Pending> pending = new LinkedHashSet<>();

  private long nowSeconds;

  /** A request that is not complete. */
  public abstract static class Pending {
    private long since;

    /** Creates a request that has not begun. */
    protected Pending() {}

    /** Called once if the request takes too long; it is not pending any more. */
    protected abstract void expire();
  }

  /**
   * Creates an empty set.
   *
   * @param maxSeconds the most time of a request; one second more at most, since time passes in
   *     whole ones
   */
  public PendingRequests(long maxSeconds) {
    this.maxSeconds = maxSeconds;
  }

  /**
   * Returns the most time of a request.
   *
   * @return seconds
   */
  public long maxSeconds() {
    return maxSeconds;
  }

  /**
   * Adds a request. If it is pending already, its time begins anew.
   *
   * @param request the request
   */
  public void began(Pending request) {
    pending.remove(request);
    request.since = nowSeconds;
    pending.add(request);
  }

  /**
   * Removes a request. Does nothing if it is not pending.
   *
   * @param request the request
   */
  public void ended(Pending request) {
    pending.remove(request);
  }

  /** To be called every second. */
  public void tick() {
    nowSeconds++;
    List<Pending> late = new ArrayList<>();
    for (Pending request : pending) {
      if (nowSeconds - request.since <= maxSeconds) {
        break;
      }
      late.add(request);
    }
    late.forEach(
        request -> {
          pending.remove(request);
          request.expire();
        });
  }
}
