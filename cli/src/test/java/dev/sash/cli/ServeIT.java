package dev.sash.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The executable jar, as users run it. */
class ServeIT {
  private static final Pattern URL = Pattern.compile("listens on (http://127.0.0.1:\\d+)");
  private static final Pattern GRPC = Pattern.compile("gRPC on port (\\d+)");
  private static final Pattern RESP = Pattern.compile("redis-cli -p (\\d+) SASH.CHECK default ");
  private static final int CONNECTIONS = 10_000;
  private static final String ASK = "{\"policy\": \"default\", \"key\": \"user:42\"}";

  @TempDir Path folder;

  /** A process that serves. */
  private static final class Served implements AutoCloseable {
    private final Process process;
    private final String welcome;
    private final String url;

    Served(String... flags) throws IOException {
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-jar",
                  Path.of("target", "sash.jar").toString(),
                  "serve",
                  "--port",
                  "0"));
      command.addAll(Arrays.asList(flags));
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().keySet().removeIf(name -> name.startsWith("SASH_"));
      process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
      BufferedReader out =
          new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
      StringBuilder lines = new StringBuilder();
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        lines.append(line).append('\n');
        if (line.startsWith("More:")) {
          break;
        }
      }
      welcome = lines.toString();
      Matcher matcher = URL.matcher(welcome);
      assertThat(matcher.find()).as(welcome).isTrue();
      url = matcher.group(1);
    }

    HttpResponse<String> post(String path, String body) {
      try {
        return HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(url + path))
                    .version(HttpClient.Version.HTTP_1_1)
                    .POST(BodyPublishers.ofString(body))
                    .build(),
                BodyHandlers.ofString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    int stop() throws InterruptedException {
      process.destroy(); // TERM
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      return process.exitValue();
    }

    void kill() throws InterruptedException {
      process.destroyForcibly(); // KILL
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  @Test
  void countsDownDeniesAndStopsInPeace() throws Exception {
    try (Served served = new Served()) {
      assertThat(served.welcome)
          .contains("state in memory")
          .contains("curl -i -d '" + ASK + "' " + served.url + "/v1/check");
      for (int left = 99; left >= 0; left--) {
        HttpResponse<String> allowed = served.post("/v1/check", ASK);
        assertThat(allowed.statusCode()).isEqualTo(200);
        assertThat(allowed.body()).contains("\"remaining\":" + left + ",");
      }
      HttpResponse<String> denied = served.post("/v1/check", ASK);
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(Integer.parseInt(denied.headers().firstValue("Retry-After").orElse("0")))
          .isBetween(1, 60);

      assertThat(check(served.url, "default", "user:42")).startsWith("1 denied: try again in ");
      assertThat(check(served.url, "default", "jörg/%"))
          .isEqualTo("0 allowed: 99 of 100 left, all of them in 60 s\n");
      assertThat(check(served.url, "none", "a"))
          .isEqualTo("2 sash: the server answered 404: there is no policy 'none'\n");
      assertThat(explain(served.url, "default", "user:42"))
          .startsWith("1 Denied: 100 of 100 permits of 100/1m sliding-log are used, 1 requested.")
          .containsPattern("100/1m sliding-log +100 of 100 +########## +0  \\d+ in ");
      assertThat(explain(served.url, "default", "jörg/%", "--permits", "101"))
          .startsWith("1 Denied: 100/1m sliding-log never admits 101 permits at once.\n\nlimit ");
      assertThat(explain(served.url, "default", "nobody"))
          .startsWith("0 Admitted: 0 of 100 permits of 100/1m sliding-log are used, 1 requested.")
          .endsWith(" 100\n");
      assertThat(explain(served.url, "none", "a"))
          .isEqualTo("2 sash: the server answered 404: there is no policy 'none'\n");
      assertThat(served.stop()).isZero();
      assertThat(check(served.url, "default", "a")).startsWith("2 sash: ").contains("not answer");
      assertThat(explain(served.url, "default", "a")).startsWith("2 sash: ").contains("not answer");
    }
  }

  private static String explain(String url, String policy, String key, String... flags) {
    List<String> words = new ArrayList<>(List.of(policy, key, "--server", url));
    words.addAll(List.of(flags));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(out, true, UTF_8);
    int code = Explain.run(words, Map.of(), both, both);
    return code + " " + out.toString(UTF_8);
  }

  private static String check(String url, String policy, String key) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(out, true, UTF_8);
    int code = Check.run(List.of(policy, key, "--server", url), Map.of(), both, both);
    return code + " " + out.toString(UTF_8);
  }

  @Test
  void readsItsFileAgainWhenToldBySignal() throws Exception {
    Path file = Files.writeString(folder.resolve("sash.yaml"), "policies: {a: {limit: 1/1h}}");
    try (Served served = new Served("--config", file.toString(), "--log-format", "json")) {
      assertThat(served.post("/v1/check", "{\"policy\":\"a\",\"key\":\"k\"}").statusCode())
          .isEqualTo(200);
      Files.writeString(file, "policies: {a: {limit: 2/1h}, b: {limit: 1/1h}}");
      new ProcessBuilder("kill", "-HUP", Long.toString(served.process.pid())).start().waitFor();
      int status = 404;
      for (int i = 0; i < 1_000 && status == 404; i++) {
        status = served.post("/v1/check", "{\"policy\":\"b\",\"key\":\"k\"}").statusCode();
      }
      assertThat(status).isEqualTo(200);
      assertThat(served.post("/v1/check", "{\"policy\":\"a\",\"key\":\"k\"}").body())
          .contains("\"used\":2,");
    }
  }

  @Test
  void boundsItsMemory() throws Exception {
    try (Served served = new Served("--max-bytes", "64m")) {
      HttpResponse<String> metrics =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create(served.url + "/metrics")).build(),
                  BodyHandlers.ofString());
      assertThat(metrics.body()).contains("\nsash_memory_max_bytes " + (double) (64 << 20) + "\n");
    }
  }

  @Test
  void refusesAFileThatCannotBeUsedWithItsLine() throws Exception {
    Path file = Files.writeString(folder.resolve("sash.yaml"), "policies:\n  a: {limt: 1/1h}\n");
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        Serve.run(
            List.of("--config", file.toString(), "--port", "0"),
            Map.of(),
            new PrintStream(err, true, UTF_8),
            new PrintStream(err, true, UTF_8));
    assertThat(code).isEqualTo(Main.FAILED);
    assertThat(err.toString(UTF_8)).contains("sash.yaml:2:").contains("limt");
  }

  @Test
  void countsSurviveARestart() throws Exception {
    String directory = folder.resolve("state").toString();
    try (Served served = new Served("--state-dir", directory, "--state-interval", "1h")) {
      assertThat(served.post("/v1/check", spending(60)).body()).contains("\"used\":60,");
      assertThat(served.stop()).isZero();
    }
    try (Served served = new Served("--state-dir", directory)) {
      assertThat(served.post("/v1/check", spending(30)).body()).contains("\"used\":90,");
      assertThat(served.post("/v1/check", spending(30)).statusCode()).isEqualTo(429);
    }
  }

  @Test
  void aKilledServerLosesAtMostWhatWasChargedSinceTheLastSave() throws Exception {
    Path directory = folder.resolve("state");
    try (Served served =
        new Served("--state-dir", directory.toString(), "--state-interval", "1s")) {
      assertThat(served.post("/v1/check", spending(60)).statusCode()).isEqualTo(200);
      awaitTwoSaves(directory.resolve("counts.sash"));
      served.kill();
    }
    try (Served served = new Served("--state-dir", directory.toString())) {
      assertThat(served.post("/v1/check", spending(1)).body()).contains("\"used\":61,");
    }
  }

  /** The second began after everything so far was charged. */
  private static void awaitTwoSaves(Path file) throws Exception {
    FileTime seen = Files.exists(file) ? Files.getLastModifiedTime(file) : FileTime.fromMillis(0);
    for (int saves = 0; saves < 2; ) {
      Thread.sleep(20);
      if (Files.exists(file) && !Files.getLastModifiedTime(file).equals(seen)) {
        seen = Files.getLastModifiedTime(file);
        saves++;
      }
    }
  }

  @Test
  void aStateFileThatCannotBeUsedIsKeptAndADirectoryIsOfOneServer() throws Exception {
    Path directory = Files.createDirectory(folder.resolve("state"));
    Files.writeString(directory.resolve("counts.sash"), "not ours");
    try (Served served = new Served("--state-dir", directory.toString())) {
      assertThat(served.post("/v1/check", spending(1)).body()).contains("\"used\":1,");
      assertThat(directory.resolve("counts.sash.refused")).hasContent("not ours");
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      int code =
          Serve.run(
              List.of("--state-dir", directory.toString(), "--port", "0"),
              Map.of(),
              new PrintStream(err, true, UTF_8),
              new PrintStream(err, true, UTF_8));
      assertThat(code).isEqualTo(Main.FAILED);
      assertThat(err.toString(UTF_8)).contains("must not be used by another server, but is");
    }
  }

  private static String spending(int permits) {
    return "{\"policy\": \"default\", \"key\": \"user:42\", \"permits\": " + permits + "}";
  }

  @Test
  void tenThousandConnectionsAreNoTrouble() throws Exception {
    try (Served served = new Served()) {
      String question =
          "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
              + ASK.length()
              + "\r\n\r\n"
              + ASK;
      Map<String, Long> answers =
          askAllAtOnce(URI.create(served.url).getPort(), question, "HTTP/1.1 ???".length());
      assertThat(answers)
          .containsOnly(entry("HTTP/1.1 200", 100L), entry("HTTP/1.1 429", CONNECTIONS - 100L));
      assertThat(served.post("/v1/check", ASK).statusCode()).isEqualTo(429);
      assertThat(served.stop()).isZero();
    }
  }

  @Test
  void norAreTheyOverResp() throws Exception {
    try (Served served = new Served("--resp-port", "0")) {
      Matcher matcher = RESP.matcher(served.welcome);
      assertThat(matcher.find()).as(served.welcome).isTrue();
      Map<String, Long> answers =
          askAllAtOnce(
              Integer.parseInt(matcher.group(1)),
              "SASH.CHECK default user:42\r\n",
              "*6\r\n:?".length());
      assertThat(answers)
          .containsOnly(entry("*6\r\n:1", 100L), entry("*6\r\n:0", CONNECTIONS - 100L));
      assertThat(served.stop()).isZero();
    }
  }

  @Test
  void speaksEnvoysProtocolOnItsPort() throws Exception {
    try (Served served = new Served("--grpc-port", "0")) {
      Matcher matcher = GRPC.matcher(served.welcome);
      assertThat(matcher.find()).as(served.welcome).isTrue();
      ManagedChannel channel =
          NettyChannelBuilder.forAddress(
                  new InetSocketAddress(
                      InetAddress.getLoopbackAddress(), Integer.parseInt(matcher.group(1))))
              .usePlaintext()
              .build();
      try {
        HealthCheckRequest whole = HealthCheckRequest.getDefaultInstance();
        assertThat(HealthGrpc.newBlockingStub(channel).check(whole).getStatus())
            .isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
      } finally {
        channel.shutdownNow();
      }
      assertThat(served.stop()).isZero();
    }
  }

  /** Over as many connections, all of them open; how often each beginning of an answer came. */
  private static Map<String, Long> askAllAtOnce(int port, String question, int beginning)
      throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    List<SocketChannel> connections = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        connections.add(SocketChannel.open(address));
      }
      for (SocketChannel connection : connections) {
        connection.write(ByteBuffer.wrap(question.getBytes(UTF_8)));
      }
      Map<String, Long> answers = new HashMap<>();
      for (SocketChannel connection : connections) {
        ByteBuffer answer = ByteBuffer.allocate(beginning);
        while (answer.hasRemaining() && connection.read(answer) >= 0) {}
        answers.merge(new String(answer.array(), 0, answer.position(), UTF_8), 1L, Long::sum);
      }
      return answers;
    } finally {
      for (SocketChannel connection : connections) {
        connection.close();
      }
    }
  }
}
