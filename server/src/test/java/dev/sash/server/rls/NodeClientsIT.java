package dev.sash.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.Npm;
import dev.sash.server.SashServer;
import dev.sash.server.ServerOptions;
import dev.sash.server.http.HttpOptions;
import dev.sash.testkit.redis.FaultProxy;
import dev.sash.testkit.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** grpc-js, and buf with reflection: clients that share no code with the server. */
@Timeout(300)
class NodeClientsIT {
  private static final String GRPC_JS = "@grpc/grpc-js@1.14.7";
  private static final String BUF = "@bufbuild/buf@1.74.0";
  private static final String METHOD = RlsService.NAME + "/ShouldRateLimit";

  /**
   * Rounds of calls at once on one connection: half of them have no deadline, the others 20 ms or 2
   * ms. Prints how they ended.
   */
  private static final String DEADLINES =
      """
      const grpc = require('@grpc/grpc-js');
      const [port, method, hex] = process.argv.slice(2);
      const client = new grpc.Client('127.0.0.1:' + port, grpc.credentials.createInsecure());
      const message = Buffer.from(hex, 'hex');
      const same = bytes => bytes;
      const call = millis => new Promise(resolve => client.makeUnaryRequest(
        '/' + method, same, same, message, new grpc.Metadata(),
        millis ? {deadline: Date.now() + millis} : {},
        error => resolve(error ? error.code : 0)));
      async function main() {
        await call(0);
        const ended = {ordinary: {}, hurried: {}};
        const count = (kind, code) => ended[kind][code] = (ended[kind][code] || 0) + 1;
        for (let round = 0; round < 20; round++) {
          const calls = [];
          for (let i = 0; i < 100; i++) {
            const millis = i % 2 === 0 ? 0 : i % 4 === 1 ? 20 : 2;
            calls.push(call(millis).then(code => count(millis ? 'hurried' : 'ordinary', code)));
          }
          await Promise.all(calls);
        }
        console.log(JSON.stringify(ended));
        client.close();
      }
      main();
      """;

  @TempDir Path folder;

  private SashServer start(UnaryOperator<ServerOptions> options) throws Exception {
    Path file = folder.resolve("shop.yaml");
    Files.writeString(
        file,
        """
        domain: shop
        descriptors:
          - key: user
            rate_limit: {unit: hour, requests_per_unit: 100000}
          - key: path
            value: /login
            rate_limit: {unit: hour, requests_per_unit: 1, name: login}
            metadata: {tier: free}
        """);
    ServerOptions plain =
        ServerOptions.of(HttpOptions.at("127.0.0.1", 0)).withGrpc(GrpcOptions.at("127.0.0.1", 0));
    return SashServer.start(options.apply(plain.withConfiguration(file)));
  }

  private static void assertOrdinaryCallsSucceed(SashServer server) throws Exception {
    byte[] message = RlsServiceIT.request(RlsServiceIT.descriptor("user", "ann")).toByteArray();
    Npm.Result result =
        Npm.node(
            List.of(GRPC_JS),
            DEADLINES,
            "" + server.grpcPort(),
            METHOD,
            HexFormat.of().formatHex(message));

    assertThat(result.output()).startsWith("{\"ordinary\":{\"0\":1000},\"hurried\":{");
    // 1 is CANCELLED: the server noticed the deadline before the client did.
    assertThat(result.output()).doesNotContainPattern("\"(?!0|1|4|ordinary|hurried)[^\"]+\":");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void deadlinesOfGrpcJsFailNoOtherCall() throws Exception {
    Npm.install(GRPC_JS);
    try (SashServer server = start(UnaryOperator.identity())) {
      assertOrdinaryCallsSucceed(server);
    }
  }

  @Test
  void norDoTheyWhileRedisIsSlow() throws Exception {
    Npm.install(GRPC_JS);
    try (RedisServer redis = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(redis);
        SashServer server = start(options -> options.withRedis(List.of(proxy.uri())))) {
      proxy.delay(Duration.ofMillis(10));
      assertOrdinaryCallsSucceed(server);
    }
  }

  @Test
  void bufCallsWithNothingButReflection() throws Exception {
    Npm.install(BUF);
    try (SashServer server = start(UnaryOperator.identity())) {
      String request =
          "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\"path\",\"value\":\"/login\"}]}]}";
      String url = "http://127.0.0.1:" + server.grpcPort() + "/" + METHOD;
      String[] arguments = {
        "curl", "--protocol", "grpc", "--http2-prior-knowledge", "-d", request, url
      };
      Npm.Result first = Npm.program(BUF, "buf", arguments);
      assertThat(first.output().replaceAll("\\s", ""))
          .contains("\"overallCode\":\"OK\"", "\"name\":\"login\"", "\"tier\":\"free\"");
      assertThat(first.exitCode()).isZero();
      Npm.Result second = Npm.program(BUF, "buf", arguments);
      assertThat(second.output().replaceAll("\\s", ""))
          .contains("\"overallCode\":\"OVER_LIMIT\"")
          .doesNotContain("tier");
    }
  }
}
