package dev.sash.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.redis.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Redis decides about the first requests of an application, with default settings, on processors
 * that others want too. {@code -Dsash.cold=n} repeats everything n times.
 */
@Timeout(600)
class ColdApplicationIT {
  private static final int TIMES = Integer.getInteger("sash.cold", 1);

  @ParameterizedTest
  @CsvSource({"MVC, local", "WEBFLUX, closed"})
  void of200ParallelRequestsExactlyTheLimitGetThrough(RedisDownIT.Framework framework, String rule)
      throws Exception {
    for (int i = 0; i < TIMES; i++) {
      List<Process> processes = new ArrayList<>();
      try (RedisServer server = RedisServer.start()) {
        for (int j = 0; j < Runtime.getRuntime().availableProcessors(); j++) {
          processes.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
        }
        Process application =
            start(
                framework.name(),
                "sash.redis.uri=" + server.uri(),
                "sash.policies.api.limits=50/1h",
                "sash.policies.api.paths=/api/hello",
                "sash.policies.api.failure-rule=" + rule);
        processes.add(application);
        List<Integer> statuses = statusesOf(200, addressOf(application));

        assertThat(statuses).as("attempt %d", i + 1).containsOnly(200, 429);
        assertThat(Collections.frequency(statuses, 200)).isEqualTo(50);
      } finally {
        processes.forEach(Process::destroyForcibly);
      }
    }
  }

  private static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ColdApplication.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  @SuppressWarnings("resource") // ends with the process
  private static URI addressOf(Process application) throws IOException {
    BufferedReader output = application.inputReader(UTF_8);
    List<String> lines = new ArrayList<>();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      lines.add(line);
      if (line.startsWith(ColdApplication.AT)) {
        return URI.create(line.substring(ColdApplication.AT.length()));
      }
    }
    throw new IllegalStateException("did not start: " + lines);
  }

  private static List<Integer> statusesOf(int count, URI address) {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpRequest request = HttpRequest.newBuilder(address.resolve("/api/hello")).build();
    return IntStream.range(0, count)
        .mapToObj(i -> client.sendAsync(request, BodyHandlers.discarding()))
        .toList()
        .stream()
        .map(CompletableFuture::join)
        .map(HttpResponse::statusCode)
        .toList();
  }
}
