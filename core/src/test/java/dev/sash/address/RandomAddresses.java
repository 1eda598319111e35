package dev.sash.address;

import java.util.SplittableRandom;

/** Random addresses, and text that is almost one; the same for the same seed. */
final class RandomAddresses {
  /** From the command line to replay a failure, otherwise another one each time. */
  static final long SEED = Long.getLong("sash.seed", System.nanoTime());

  static final String REPLAY = "replay with -Dsash.seed=" + SEED;

  private static final String[] PIECES = {
    "1",
    "0",
    "255",
    "256",
    "00",
    "127.0.0.1",
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
    "[::1]",
    ":80",
    " ",
    "\u0000",
    "\u0660",
    "\uff11",
    "é",
    "%",
    "/",
    "-1",
    "+1",
    "0x7f",
    "localhost",
    "example.com"
  };

  private final SplittableRandom random = new SplittableRandom(SEED);

  int below(int bound) {
    return random.nextInt(bound);
  }

  String text() {
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
    if (random.nextBoolean()) {
      return IpAddress.ofIpv4(random.nextLong() & 0xffff_ffffL);
    }
    long mask = random.nextInt(3) == 0 ? 0 : -1L << random.nextInt(64);
    return IpAddress.ofIpv6(
        0x2000_0000_0000_0000L | (random.nextLong() >>> 4 & mask), random.nextLong() & mask);
  }
}
