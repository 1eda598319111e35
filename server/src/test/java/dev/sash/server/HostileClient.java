package dev.sash.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A client behind a proxy that wants to be somebody else in each request, by every header field in
 * which some proxy describes the original request. Its own key is always the same.
 */
final class HostileClient {
  /** What the client sends in each request, whatever the policy is by. */
  private static final List<String> OWN =
      List.of("X-User: ann", "X-Api-Key: k1", "Authorization: Bearer k1", "Cookie: sid=42");

  private static final List<String> ADDRESS_FIELDS =
      List.of("X-Forwarded-For", "X-Real-IP", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP");
  private static final List<String> METHOD_FIELDS =
      List.of("X-Forwarded-Method", "X-Original-Method", "X-HTTP-Method-Override");
  private static final List<String> HOST_FIELDS =
      List.of("X-Forwarded-Host", "X-Original-Host", "X-Host");
  private static final List<String> URI_FIELDS =
      List.of("X-Forwarded-Uri", "X-Original-URI", "X-Original-Url", "X-Rewrite-Url");

  /** The same path as {@code /shop/items}, to nginx, Caddy and most applications. */
  private static final List<String> PATHS =
      List.of(
          "/shop/items",
          "//shop/items",
          "/shop//items",
          "/shop/items/",
          "/shop/./items",
          "/shop/x/../items",
          "/%73hop/items");

  private final int port;
  private final Random random;

  HostileClient(int port, long seed) {
    this.port = port;
    this.random = new Random(seed);
  }

  /** Sends requests and returns how many were answered with 200. */
  int passed(int requests) throws IOException {
    int passed = 0;
    for (int i = 0; i < requests; i++) {
      if (status(PATHS.get(random.nextInt(PATHS.size()))) == 200) {
        passed++;
      }
    }
    return passed;
  }

  /** Sends one request and returns its status. */
  private int status(String path) throws IOException {
    List<String> lines = new ArrayList<>(OWN);
    String address = random.nextInt(256) + ".1." + random.nextInt(256) + "." + random.nextInt(256);
    ADDRESS_FIELDS.forEach(field -> add(lines, field, address));
    add(lines, "Forwarded", "for=" + address + ";host=h" + random.nextInt(999));
    METHOD_FIELDS.forEach(field -> add(lines, field, random.nextBoolean() ? "PUT" : "M" + word()));
    HOST_FIELDS.forEach(field -> add(lines, field, "h" + word()));
    URI_FIELDS.forEach(field -> add(lines, field, "/" + word() + "?tab=" + word()));
    add(lines, "X-Size", "0");
    add(lines, "X-Plan", "gold");
    String request =
        "GET "
            + path
            + "?tab=x&permits=0&deny=503&n="
            + word()
            + " HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n"
            + String.join("\r\n", lines)
            + "\r\n\r\n";
    try (RawConnection connection = new RawConnection(port)) {
      String response = connection.send(request).everything();
      return Integer.parseInt(response.substring(9, 12));
    }
  }

  /** Leaves the field out, or sends it in one line or in two. */
  private void add(List<String> lines, String field, String value) {
    int times = random.nextInt(4);
    for (int i = 0; i < Math.min(2, times); i++) {
      lines.add(field + ": " + value + (i == 0 || field.equals("X-Forwarded-For") ? "" : i));
    }
  }

  private String word() {
    return Integer.toString(random.nextInt(1_000_000), 36);
  }
}
