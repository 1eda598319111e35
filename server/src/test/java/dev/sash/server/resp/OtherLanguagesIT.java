package dev.sash.server.resp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sash.server.Npm;
import dev.sash.server.access.OperatorTokens;
import dev.sash.server.access.RespCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients of other languages, where they are installed: redis-py as Debian has it, ioredis and
 * node-redis from npm. Each checks, sends a transaction, and one that must not charge anything.
 */
@Timeout(600)
class OtherLanguagesIT {
  private static final String REFUND = "kR7-refundTwo-8vYt";
  private static final Path PYTHON = Path.of("/usr/bin/python3");

  /** What every client prints. */
  private static final String PRINTED =
      """
      check 1 3 2
      throttle 0 16 15
      pipeline 1 0
      transaction 1 1 0
      aborted
      left 3
      refund 1
      unknown command
      """;

  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        new TestServer(
            RespOptions.builder()
                .credentials(RespCredentials.of(RespCredentials.DEFAULT_USER, "pass for tests"))
                .tokens(OperatorTokens.of(null, REFUND)));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void redisPy(@TempDir Path folder) throws Exception {
    String script =
        """
        import sys, redis
        client = redis.Redis(port=int(sys.argv[1]), password="pass for tests", decode_responses=True)
        call = client.execute_command
        print("check", *call("SASH.CHECK", "api", "py")[:3])
        print("throttle", *call("CL.THROTTLE", "py", 15, 30, 60)[:3])
        pipe = client.pipeline(transaction=False)
        pipe.execute_command("SASH.CHECK", "api", "py", 2)
        pipe.execute_command("SASH.CHECK", "api", "py")
        print("pipeline", *[reply[0] for reply in pipe.execute()])
        pipe = client.pipeline()
        for permits in (1, 2, 1):
            pipe.execute_command("SASH.CHECK", "api", "py tx", permits)
        print("transaction", *[reply[0] for reply in pipe.execute()])
        pipe = client.pipeline()
        pipe.execute_command("SASH.CHECK", "api", "py aborted", 2)
        pipe.execute_command("SASH.CHECK", "nope", "py aborted")
        try:
            pipe.execute()
        except redis.RedisError:
            print("aborted")
        print("left", call("SASH.PEEK", "api", "py aborted")[2])
        operator = redis.Redis(port=int(sys.argv[1]), username="sash-refund", password=sys.argv[2])
        print("refund", operator.execute_command("SASH.REFUND", "api", "py")[2])
        try:
            client.get("py")
        except redis.ResponseError as e:
            print(str(e)[:15])
        """;
    assumeTrue(Files.isExecutable(PYTHON), PYTHON + " is not installed");
    assumeTrue(
        python(folder, "import redis").exitCode() == 0, "redis-py is not installed for " + PYTHON);
    Npm.Result result = python(folder, script, Integer.toString(server.port()), REFUND);
    assertThat(result.output()).isEqualTo(PRINTED);
    assertThat(result.exitCode()).isZero();
  }

  private static Npm.Result python(Path folder, String script, String... arguments)
      throws IOException, InterruptedException {
    Path file = Files.writeString(folder.resolve("script.py"), script);
    Path output = folder.resolve("script.out");
    ProcessBuilder builder = new ProcessBuilder(PYTHON.toString(), file.toString());
    builder.command().addAll(List.of(arguments));
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("redis-py ends").isTrue();
      return new Npm.Result(process.exitValue(), Files.readString(output, UTF_8));
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void ioredis() throws Exception {
    String script =
        """
        const Redis = require("ioredis");
        const port = Number(process.argv[2]);
        async function main() {
          const client = new Redis({ port, password: "pass for tests" });
          const show = (name, values) => console.log(name, ...values);
          show("check", (await client.call("SASH.CHECK", "api", "io")).slice(0, 3));
          show("throttle", (await client.call("CL.THROTTLE", "io", 15, 30, 60)).slice(0, 3));
          const pipeline = client.pipeline();
          pipeline.call("SASH.CHECK", "api", "io", 2);
          pipeline.call("SASH.CHECK", "api", "io");
          show("pipeline", (await pipeline.exec()).map(([error, reply]) => reply[0]));
          const multi = client.multi();
          for (const permits of [1, 2, 1]) multi.call("SASH.CHECK", "api", "io tx", permits);
          show("transaction", (await multi.exec()).map(([error, reply]) => reply[0]));
          const bad = client.multi();
          bad.call("SASH.CHECK", "api", "io aborted", 2);
          bad.call("SASH.CHECK", "nope", "io aborted");
          await bad.exec().then(() => console.log("executed"), () => console.log("aborted"));
          show("left", [(await client.call("SASH.PEEK", "api", "io aborted"))[2]]);
          const operator = new Redis({ port, username: "sash-refund", password: process.argv[3] });
          show("refund", [(await operator.call("SASH.REFUND", "api", "io"))[2]]);
          await client.get("io").catch((e) => console.log(e.message.substring(4, 19)));
          await Promise.all([client.quit(), operator.quit()]);
        }
        main().catch((e) => { console.log(e); process.exit(1); });
        """;
    assertPrinted(Npm.node(List.of("ioredis@6.0.0"), script, arguments()));
  }

  @Test
  void nodeRedis() throws Exception {
    String script =
        """
        const { createClient } = require("redis");
        const socket = { port: Number(process.argv[2]) };
        async function main() {
          const client = await createClient({ socket, password: "pass for tests" }).connect();
          const show = (name, values) => console.log(name, ...values);
          const check = (...words) => ["SASH.CHECK", "api", ...words];
          show("check", (await client.sendCommand(check("node"))).slice(0, 3));
          const throttle = ["CL.THROTTLE", "node", "15", "30", "60"];
          show("throttle", (await client.sendCommand(throttle)).slice(0, 3));
          const both = [client.sendCommand(check("node", "2")), client.sendCommand(check("node"))];
          show("pipeline", (await Promise.all(both)).map((reply) => reply[0]));
          const multi = client.multi();
          for (const permits of ["1", "2", "1"]) multi.addCommand(check("node tx", permits));
          show("transaction", (await multi.exec()).map((reply) => reply[0]));
          const bad = client.multi();
          bad.addCommand(check("node aborted", "2")).addCommand(["SASH.CHECK", "nope", "node"]);
          await bad.exec().then(() => console.log("executed"), () => console.log("aborted"));
          show("left", [(await client.sendCommand(["SASH.PEEK", "api", "node aborted"]))[2]]);
          const login = { socket, username: "sash-refund", password: process.argv[3] };
          const operator = await createClient(login).connect();
          show("refund", [(await operator.sendCommand(["SASH.REFUND", "api", "node"]))[2]]);
          await client.get("node").catch((e) => console.log(e.message.substring(4, 19)));
          await Promise.all([client.close(), operator.close()]);
        }
        main().catch((e) => { console.log(e); process.exit(1); });
        """;
    assertPrinted(Npm.node(List.of("redis@6.3.1"), script, arguments()));
  }

  private static String[] arguments() {
    return new String[] {Integer.toString(server.port()), REFUND};
  }

  private static void assertPrinted(Npm.Result result) {
    assertThat(result.output()).isEqualTo(PRINTED);
    assertThat(result.exitCode()).isZero();
  }
}
