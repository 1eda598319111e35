package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.config.Configuration;
import dev.sash.config.ForwardedBy;
import dev.sash.server.http.HttpOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of docs/server.md, sent in their order. Only times may differ. */
class ServerDocTest {
  private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
  private static final Pattern HTTP =
      Pattern.compile("```http\n(\\w+) (\\S+)\n(.*?)\n?\n(\\d+)\n(.*?)\n```", Pattern.DOTALL);
  private static final Pattern CURL =
      Pattern.compile(
          "\\$ curl -i -d '(.*?)' http://127.0.0.1:8080(\\S+)\n(.*?)\n\n(.*?)\n```",
          Pattern.DOTALL);

  private final String page = read(Path.of("..", "docs", "server.md"));

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void everyExampleIsAnsweredAsThePageSays() {
    String yaml = YAML.matcher(page).results().map(m -> m.group(1)).findFirst().orElseThrow();
    List<MatchResult> examples = HTTP.matcher(page).results().toList();
    assertThat(examples).hasSize(page.split("```http", -1).length - 1).hasSizeGreaterThan(6);
    try (TestServer server = TestServer.start(yaml)) {
      for (MatchResult example : examples) {
        HttpResponse<String> response =
            TestServer.send(
                server
                    .request(example.group(2))
                    .method(example.group(1), BodyPublishers.ofString(example.group(3))));
        assertThat(response.statusCode()).hasToString(example.group(4));
        assertThat(timeless(response.body())).isEqualTo(timeless(example.group(5)));
      }
    }
  }

  @Test
  void everyConfigurationForProxiesIsAccepted() {
    Pattern proxies = Pattern.compile("```yaml proxy\n(.*?)```", Pattern.DOTALL);
    List<MatchResult> files = proxies.matcher(page).results().toList();
    assertThat(files).hasSizeGreaterThan(1);
    for (MatchResult file : files) {
      assertThat(Configuration.parse(file.group(1), "page.yaml").proxies().forwardedBy())
          .isEqualTo(ForwardedBy.NGINX);
    }
  }

  @Test
  void theFirstExampleWorksWithTheDefaultConfiguration() {
    MatchResult curl = CURL.matcher(page).results().findFirst().orElseThrow();
    ServerOptions options = ServerOptions.of(HttpOptions.at("127.0.0.1", 0));
    try (SashServer server = SashServer.start(options)) {
      HttpResponse<String> response =
          TestServer.send(
              HttpRequest.newBuilder(
                      URI.create("http://127.0.0.1:" + server.port() + curl.group(2)))
                  .version(HttpClient.Version.HTTP_1_1)
                  .POST(BodyPublishers.ofString(curl.group(1))));
      assertThat(response.body()).isEqualTo(curl.group(4));
      for (String line : curl.group(3).lines().skip(1).toList()) {
        String[] field = line.split(": ", 2);
        assertThat(response.headers().firstValue(field[0])).contains(field[1]);
      }
    }
  }

  private static String timeless(String body) {
    return body.replaceAll("(retryAfterMs|resetAfterMs|ttl)\":[1-9]\\d*", "$1\":N");
  }
}
