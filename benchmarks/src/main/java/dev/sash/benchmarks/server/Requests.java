package dev.sash.benchmarks.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The requests, created in advance as far as possible. */
final class Requests {
  /** The policy of all of them, and Envoy's domain too. */
  static final String POLICY = "bench";

  static final String RLS_METHOD = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  private static final int MADE_BEFOREHAND = 10_000;

  private Requests() {}

  /** Requests for random keys out of a number of keys. */
  static Supplier<byte[]> forKeys(int keys, IntFunction<byte[]> request) {
    SplittableRandom random = new SplittableRandom(keys);
    if (keys > MADE_BEFOREHAND) {
      return () -> request.apply(random.nextInt(keys));
    }
    byte[][] made = IntStream.range(0, keys).mapToObj(request).toArray(byte[][]::new);
    return () -> made[random.nextInt(keys)];
  }

  /** Something that is answered at once, without a decision. */
  static byte[] get(String path) {
    return ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(UTF_8);
  }

  static byte[] check(int key) {
    return post("/v1/check", question(key));
  }

  static byte[] batch(int first, int size, int keys) {
    String questions =
        IntStream.range(first, first + size)
            .mapToObj(key -> question(key % keys))
            .collect(Collectors.joining(",", "{\"requests\":[", "]}"));
    return post("/v1/check:batch", questions);
  }

  private static String question(int key) {
    return "{\"policy\":\"" + POLICY + "\",\"key\":\"user:" + key + "\"}";
  }

  private static byte[] post(String path, String body) {
    String head =
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n";
    return (head.formatted(path, body.length()) + body).getBytes(UTF_8);
  }

  /** Envoy's request: a domain, and a descriptor of one entry. */
  static byte[] shouldRateLimit(int key) {
    return shouldRateLimit(POLICY, "user:" + key);
  }

  static byte[] shouldRateLimit(String domain, String key) {
    byte[] entry = message(field(1, "key".getBytes(UTF_8)), field(2, key.getBytes(UTF_8)));
    return message(field(1, domain.getBytes(UTF_8)), field(2, message(field(1, entry))));
  }

  private static byte[] message(byte[]... fields) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] field : fields) {
      out.writeBytes(field);
    }
    return out.toByteArray();
  }

  /** A field of known length, of less than 128 bytes. */
  private static byte[] field(int number, byte[] value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(number << 3 | 2);
    out.write(value.length);
    out.writeBytes(value);
    return out.toByteArray();
  }
}
