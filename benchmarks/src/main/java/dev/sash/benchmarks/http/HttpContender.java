package dev.sash.benchmarks.http;

/** What limits the application. */
enum HttpContender {
  NONE("no limit", "none"),
  /** Differs from {@link #NONE} by chance alone: no smaller difference means anything. */
  NONE_AGAIN("no limit, another process", "none"),
  SASH_MEMORY("Sash's starter, in memory", "sash-memory"),
  SASH_REDIS("Sash's starter, on Redis", "sash-redis"),
  BUCKET4J_STARTER("Bucket4j's starter, in memory", "bucket4j-starter"),
  BUCKET4J_FILTER("Bucket4j in a filter written by hand", "bucket4j-filter");

  private final String label;
  private final String profile;

  HttpContender(String label, String profile) {
    this.label = label;
    this.profile = profile;
  }

  String label() {
    return label;
  }

  /** The application's Spring profile. */
  String profile() {
    return profile;
  }

  boolean limits() {
    return this != NONE && this != NONE_AGAIN;
  }
}
