package dev.sash.server.http.forward;

import io.vertx.core.MultiMap;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns if a proxy calls the forward-auth endpoint that is not in {@code trusted-proxies}: its
 * fields are ignored, so that all clients behind it share one address. Thread-safe.
 */
public final class ProxyWarning {
  private static final Logger LOG = LoggerFactory.getLogger(ProxyWarning.class);
  private static final long REPEAT_NANOS = Duration.ofMinutes(1).toNanos();
  private static final long SHOWN_NANOS = Duration.ofMinutes(10).toNanos();

  static final String TEXT =
      "Forwarded header fields arrive at /v1/forward-auth from an address that is not in"
          + " trusted-proxies. They are ignored, and all clients behind that proxy share one"
          + " address. Add the address of the proxy to trusted-proxies.";

  private final LongSupplier nanoTime;
  private final AtomicLong lastSeen;
  private final AtomicLong lastLogged;

  /** Creates a warning that does not hold. */
  public ProxyWarning(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    long never = nanoTime.getAsLong() - SHOWN_NANOS - 1;
    this.lastSeen = new AtomicLong(never);
    this.lastLogged = new AtomicLong(never);
  }

  /** Called for each request of a peer that is not trusted. */
  void check(MultiMap headers) {
    if (!ForwardedRequest.isMarked(headers)) {
      return;
    }
    long now = nanoTime.getAsLong();
    lastSeen.set(now);
    long before = lastLogged.get();
    if (now - before >= REPEAT_NANOS && lastLogged.compareAndSet(before, now)) {
      LOG.warn(TEXT);
    }
  }

  /** Returns the warning if it holds or did so a few minutes ago; null otherwise. */
  public @Nullable String current() {
    return nanoTime.getAsLong() - lastSeen.get() <= SHOWN_NANOS ? TEXT : null;
  }
}
