package dev.sash.testkit.redis;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One direction of a proxied connection: bytes leave in the order in which they came, each no
 * earlier than it is due. A slow lane holds up no other.
 */
final class Lane {
  /** No bytes stand for the end. */
  private static final class Parcel {
    final byte[] bytes;
    final long dueNanos;

    Parcel(byte[] bytes, long delayNanos) {
      this.bytes = bytes;
      this.dueNanos = System.nanoTime() + delayNanos;
    }
  }

  private final BlockingQueue<Parcel> parcels = new LinkedBlockingQueue<>();

  void send(byte[] bytes, long delayNanos) {
    parcels.add(new Parcel(bytes, delayNanos));
  }

  /** Closes the direction after all that was sent before. */
  void end() {
    parcels.add(new Parcel(new byte[0], 0));
  }

  /** Delivers until the end of the direction or of the thread. */
  void deliverTo(Socket socket) throws IOException, InterruptedException {
    for (Parcel next = parcels.take(); next.bytes.length > 0; next = parcels.take()) {
      TimeUnit.NANOSECONDS.sleep(next.dueNanos - System.nanoTime());
      socket.getOutputStream().write(next.bytes);
    }
    socket.shutdownOutput();
  }
}
