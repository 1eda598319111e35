package dev.sash.benchmarks.server;

/** What is measured. */
enum ServerContender {
  EMPTY("Sash, empty endpoint (`/livez`)"),
  MEMORY("Sash, `/v1/check`, in memory"),
  REDIS("Sash, `/v1/check`, on Redis"),
  RLS("Sash, Envoy's protocol, in memory"),
  BATCH("Sash, batches of 100, in memory"),
  NGINX("nginx, `limit_req`, a file of 2 bytes"),
  HAPROXY("HAProxy, stick table, an answer of 2 bytes");

  private final String label;

  ServerContender(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /** How many decisions an answer holds. */
  int decisions() {
    return this == BATCH ? ServerComparison.BATCH_SIZE : 1;
  }
}
