package dev.sash.benchmarks.http;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;

/** What limits an application. */
enum HttpContender {
  NONE("no limit", "none"),
  /** Differs from {@link #NONE} by chance alone: no smaller difference means anything. */
  NONE_AGAIN("no limit, another process", "none"),
  SASH_MEMORY("Sash's starter, in memory", "sash-memory"),
  SASH_REDIS("Sash's starter, on Redis", "sash-redis"),
  BUCKET4J_STARTER("Bucket4j's starter, in memory", "bucket4j-starter"),
  BUCKET4J_FILTER("Bucket4j in a filter written by hand", "bucket4j-filter"),

  GATEWAY("gateway, no limit", "none"),
  GATEWAY_SASH("gateway, RequestRateLimiter with Sash", "sash"),
  GATEWAY_SASH_FILTER("gateway, SashRateLimit", "sash-filter"),
  GATEWAY_OWN("gateway, its own RedisRateLimiter", "redis-rate-limiter");

  private static final EnumSet<HttpContender> GATEWAYS = EnumSet.range(GATEWAY, GATEWAY_OWN);

  private final String label;
  private final String profile;

  HttpContender(String label, String profile) {
    this.label = label;
    this.profile = profile;
  }

  /** Those that limit the small shop. */
  static List<HttpContender> shops() {
    return List.copyOf(EnumSet.complementOf(GATEWAYS));
  }

  /** Those that limit a gateway. */
  static List<HttpContender> gateways() {
    return List.copyOf(GATEWAYS);
  }

  String label() {
    return label;
  }

  /** The application's Spring profile. */
  String profile() {
    return profile;
  }

  /** The application. */
  Path jar() {
    String module = GATEWAYS.contains(this) ? "benchmarks-gateway" : "benchmarks-http";
    return Path.of(module, "target", module + ".jar");
  }

  boolean limits() {
    return this != NONE && this != NONE_AGAIN && this != GATEWAY;
  }

  /** Whether it gives one permit back every second meanwhile; its rate cannot be less. */
  boolean refills() {
    return this == GATEWAY_OWN;
  }
}
