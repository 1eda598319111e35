package dev.sash.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Which slot of a cluster a key belongs to, as the cluster specification says. */
final class HashSlot {
  static final int COUNT = 16_384;

  private HashSlot() {}

  static int of(String key) {
    return crc16(hashed(key).getBytes(UTF_8)) % COUNT;
  }

  /** What stands between the first brace and the next closing one, unless that is nothing. */
  private static String hashed(String key) {
    int open = key.indexOf('{');
    int close = key.indexOf('}', open + 1);
    return open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
  }

  /** CRC-16 with the polynomial 0x1021, starting from 0, bits not reflected. */
  private static int crc16(byte[] bytes) {
    int crc = 0;
    for (byte b : bytes) {
      crc ^= (b & 0xff) << 8;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ 0x1021;
      }
      crc &= 0xffff;
    }
    return crc;
  }
}
