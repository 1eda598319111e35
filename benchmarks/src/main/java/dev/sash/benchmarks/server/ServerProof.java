package dev.sash.benchmarks.server;

import java.io.IOException;

/** That what is measured limits: it would be quick not to. */
final class ServerProof {
  private static final int LIMIT = 50;
  private static final int REQUESTS = 60;
  private static final int OVER_LIMIT = 2;

  private final int grpcPort;
  private final int[] ports;

  /**
   * @param grpcPort where Envoy's protocol is spoken
   * @param ports where HTTP is
   */
  ServerProof(int grpcPort, int... ports) {
    this.grpcPort = grpcPort;
    this.ports = ports.clone();
  }

  void check() throws IOException {
    for (int port : ports) {
      try (HttpExchange exchange = new HttpExchange(port)) {
        byte[] request = Requests.get("/v1/check/few/proof");
        int allowed = 0;
        for (int i = 0; i < REQUESTS; i++) {
          exchange.ask(request);
          exchange.await();
          allowed += exchange.status() == 200 ? 1 : 0;
        }
        expect(allowed, "/v1/check");
      }
    }
    try (GrpcExchange exchange = new GrpcExchange(grpcPort, Requests.RLS_METHOD)) {
      byte[] request = Requests.shouldRateLimit("few", "another");
      int allowed = 0;
      for (int i = 0; i < REQUESTS; i++) {
        exchange.ask(request);
        exchange.await();
        byte[] answer = exchange.message();
        if (answer.length < 2 || answer[0] != 1 << 3) {
          throw new IOException("an answer without overall_code");
        }
        allowed += answer[1] == OVER_LIMIT ? 0 : 1;
      }
      expect(allowed, "Envoy's protocol");
    }
  }

  private static void expect(int allowed, String what) {
    if (allowed != LIMIT) {
      throw new IllegalStateException(
          what + " allowed " + allowed + " of " + REQUESTS + " requests, expected " + LIMIT);
    }
  }
}
