package dev.sash.http;

import dev.sash.address.IpAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Random text as somebody with bad intentions would send it; the same for the same seed. */
public final class Hostile {
  /** From the command line to replay a failure, otherwise another one each time. */
  public static final long SEED = Long.getLong("sash.seed", System.nanoTime());

  /** For the message of a failure. */
  public static final String REPLAY = "replay with -Dsash.seed=" + SEED;

  private static final String[] PIECES = {
    "1",
    "0",
    "255",
    "256",
    "00",
    "127.0.0.1",
    "10.0.0.1",
    "10.0.0.0/8",
    "192.0.2.",
    ".",
    ":",
    "::",
    "::ffff:",
    "::1",
    "ffff",
    "FFFF",
    "2001:db8::",
    "fe80::1%eth0",
    "[",
    "]",
    "[::1]",
    ":80",
    ":99999",
    ",",
    ", ",
    ";",
    "=",
    "\"",
    "\\",
    "\\\"",
    "for=",
    "For=",
    "for=\"",
    "by=",
    "proto=http",
    "unknown",
    "_hidden",
    "for=10.0.0.1",
    "for=\"[2001:db8::1]:80\"",
    " ",
    "\t",
    "\u0000",
    "\u0660",
    "\uff11",
    "é",
    "%",
    "%2e",
    "%2F",
    "../",
    "/",
    "-1",
    "+1",
    "0x7f",
    "localhost",
    "example.com"
  };

  private final SplittableRandom random;

  /** Starts the sequence of a seed. */
  public Hostile(long seed) {
    random = new SplittableRandom(seed);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  long bits() {
    return random.nextLong();
  }

  /** Returns the next text. */
  public String text() {
    StringBuilder text = new StringBuilder();
    int pieces = random.nextInt(12);
    for (int i = 0; i < pieces; i++) {
      text.append(
          random.nextInt(10) == 0
              ? Character.toString((char) random.nextInt(0x300))
              : PIECES[random.nextInt(PIECES.length)]);
    }
    return text.toString();
  }

  /** An IPv4 or IPv6 address in one of its many forms. */
  IpAddress address() {
    byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
    if (bytes.length == 4) {
      ByteBuffer.wrap(bytes).putInt(random.nextInt());
    } else {
      long mask = random.nextInt(3) == 0 ? 0 : -1L << random.nextInt(64);
      ByteBuffer.wrap(bytes)
          .putLong(0x2000_0000_0000_0000L | (random.nextLong() >>> 4 & mask))
          .putLong(random.nextLong() & mask);
    }
    try {
      return IpAddress.of(InetAddress.getByAddress(bytes));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}
