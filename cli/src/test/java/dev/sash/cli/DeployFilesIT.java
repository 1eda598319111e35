package dev.sash.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.config.Configuration;
import dev.sash.server.SashServer;
import dev.sash.server.ServerOptions;
import dev.sash.server.http.HttpOptions;
import dev.sash.server.resp.RespOptions;
import dev.sash.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What operators are given names only what there is: metrics, tags, flags, paths, settings. */
class DeployFilesIT {
  private static final Path ROOT = Path.of("..");
  private static final Path ALERTS = ROOT.resolve("deploy/prometheus/alerts.yaml");
  private static final Path DASHBOARD = ROOT.resolve("deploy/grafana/sash.json");
  private static final Path MANIFESTS = ROOT.resolve("deploy/kubernetes/sash.yaml");
  private static final Path UNIT = ROOT.resolve("deploy/systemd/sash.service");
  private static final Path IMAGE = ROOT.resolve("deploy/docker/Dockerfile");
  private static final Path PAGE = ROOT.resolve("docs/operate.md");

  private static final Pattern SERIES = Pattern.compile("\\bsash_[a-z_]+");
  private static final Pattern SELECTOR = Pattern.compile("\\b(sash_[a-z_]+)\\{([^}]*)}");
  private static final Pattern LABEL = Pattern.compile("([a-z]+)\\s*=~?\\s*\"([^\"]*)\"");
  private static final Pattern METER =
      Pattern.compile("^\\| `(sash\\.[a-z.]+)` \\| \\w+ \\| ([a-z`, ]*)\\|", Pattern.MULTILINE);
  private static final Set<String> LABELS_OF_PROMETHEUS = Set.of("instance", "job", "le");

  private static String metrics;

  @BeforeAll
  static void useEverything() throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    try (RedisServer redis = RedisServer.start();
        SashServer server =
            SashServer.start(
                ServerOptions.of(HttpOptions.at("127.0.0.1", 0))
                    .withRedis(List.of(redis.uri()))
                    .withResp(RespOptions.builder().port(0).build()));
        SashServer memory = SashServer.start(ServerOptions.of(HttpOptions.at("127.0.0.1", 0)))) {
      metrics = used(client, server) + used(client, memory);
    }
  }

  private static String used(HttpClient client, SashServer server) throws Exception {
    URI base = URI.create("http://127.0.0.1:" + server.port());
    for (int i = 0; i < 101; i++) {
      client.send(
          HttpRequest.newBuilder(base.resolve("/v1/check"))
              .POST(BodyPublishers.ofString("{\"policy\":\"default\",\"key\":\"k\"}"))
              .build(),
          BodyHandlers.discarding());
    }
    if (server.respPort() > 0) {
      try (Socket resp = new Socket(InetAddress.getLoopbackAddress(), server.respPort())) {
        resp.getOutputStream().write("PING\r\n".getBytes(UTF_8));
        assertThat(resp.getInputStream().read()).isEqualTo('+');
      }
    }
    return client
        .send(
            HttpRequest.newBuilder(base.resolve("/metrics")).build(), BodyHandlers.ofString(UTF_8))
        .body();
  }

  @Test
  void alertsAndDashboardAskForSeriesAndLabelsThatExist() throws IOException {
    for (Path file : List.of(ALERTS, DASHBOARD)) {
      String text = Files.readString(file).replace("\\\"", "\"");
      assertThat(found(SERIES, text)).as(file.toString()).hasSizeGreaterThan(4);
      for (String series : found(SERIES, text)) {
        assertThat(metrics).containsPattern("(?m)^" + series + "[{ ]");
      }
      SELECTOR
          .matcher(text)
          .results()
          .forEach(selector -> assertLabels(selector.group(1), selector.group(2)));
    }
  }

  private static void assertLabels(String series, String labels) {
    LABEL
        .matcher(labels)
        .results()
        .filter(label -> !LABELS_OF_PROMETHEUS.contains(label.group(1)))
        .forEach(
            label -> {
              String value = label.group(2).startsWith("$") ? "[^\"]*" : label.group(2);
              assertThat(metrics)
                  .containsPattern(
                      "(?m)^" + series + "\\{[^}]*" + label.group(1) + "=\"" + value + "\"");
            });
  }

  @Test
  void everyAlertHasAnEntryInTheRunbook() throws IOException {
    Map<?, ?> file = (Map<?, ?>) yaml(ALERTS).get(0);
    String page = Files.readString(PAGE);
    List<String> alerts = new ArrayList<>();
    for (Object group : (List<?>) file.get("groups")) {
      for (Object rule : (List<?>) ((Map<?, ?>) group).get("rules")) {
        alerts.add(String.valueOf(((Map<?, ?>) rule).get("alert")));
      }
    }
    assertThat(alerts).hasSizeGreaterThan(5).doesNotHaveDuplicates();
    assertThat(found(Pattern.compile("(?m)^### Sash\\w+"), page))
        .isEqualTo(alerts.stream().map(name -> "### " + name).collect(Collectors.toSet()));
    for (String alert : alerts) {
      assertThat(Files.readString(ALERTS))
          .contains("docs/operate.md#" + alert.toLowerCase(Locale.ROOT));
    }
  }

  @Test
  void thePageListsTheServersMeters() throws IOException {
    Set<String> listed =
        METER
            .matcher(Files.readString(PAGE))
            .results()
            .map(row -> row.group(1).replace('.', '_'))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> there =
        Pattern.compile("(?m)^# TYPE (sash_(?:server|resp)_[a-z_]+?)(?:_total)? ")
            .matcher(metrics)
            .results()
            .map(row -> row.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(listed).isEqualTo(there);
  }

  @Test
  void commandsHaveFlagsAndVariablesThatExist() throws IOException {
    for (Path file : List.of(UNIT, IMAGE, MANIFESTS)) {
      String text = Files.readString(file);
      for (String flag : found(Pattern.compile("(?<=[ \"])--[a-z-]+"), serveOf(text))) {
        assertThat(Serve.USAGE).as(file.toString()).contains("  " + flag + " ");
      }
      for (String variable : found(Pattern.compile("\\bSASH_[A-Z_]+"), text)) {
        String flag =
            variable.replaceFirst("SASH_", "--").toLowerCase(Locale.ROOT).replace('_', '-');
        assertThat(Serve.USAGE)
            .as(file.toString())
            .matches(usage -> usage.contains("  " + flag + " ") || usage.contains(variable));
      }
    }
  }

  /** The lines that start Sash. */
  private static String serveOf(String text) {
    return text.lines().filter(line -> line.contains("serve")).collect(Collectors.joining("\n"));
  }

  @Test
  void manifestsHoldAConfigurationThatCanBeUsedAndProbesThatAreAnswered() throws Exception {
    List<Object> documents = yaml(MANIFESTS);
    assertThat(documents).hasSize(5);
    Map<?, ?> data = (Map<?, ?>) ((Map<?, ?>) documents.get(0)).get("data");
    assertThat(Configuration.parse(String.valueOf(data.get("sash.yaml")), "sash.yaml").policies())
        .containsKeys("default", "login");
    assertThat(found(Pattern.compile("(?<=path: )/[a-z]+z\\b"), Files.readString(MANIFESTS)))
        .containsExactlyInAnyOrder("/livez", "/readyz");
  }

  @Test
  void manifestsHoldNoSecretAndNameTheFilesOfAnExternalOne() throws Exception {
    String text = Files.readString(MANIFESTS);
    assertThat(text).doesNotContain("kind: Secret").contains("secretName: sash");
    for (String variable :
        List.of("SASH_ADMIN_TOKEN_FILE", "SASH_REFUND_TOKEN_FILE", "SASH_RECEIPT_SECRET_FILE")) {
      assertThat(text)
          .containsPattern("name: " + variable + "\\s+value: /run/secrets/sash/[a-z-]+\\n");
    }
    for (String file : found(Pattern.compile("(?<=value: /run/secrets/sash/)[a-z-]+"), text)) {
      assertThat(text).contains("--from-file=" + file);
    }
  }

  @Test
  void aNetworkPolicyAdmitsClientsToThePortsOfTheContainerAndNobodyElse() throws Exception {
    Map<?, ?> policy =
        yaml(MANIFESTS).stream()
            .map(document -> (Map<?, ?>) document)
            .filter(document -> document.get("kind").equals("NetworkPolicy"))
            .findFirst()
            .orElseThrow();
    Map<?, ?> spec = (Map<?, ?>) policy.get("spec");
    assertThat(spec.get("podSelector")).isEqualTo(Map.of("matchLabels", Map.of("app", "sash")));
    assertThat(spec.get("policyTypes")).isEqualTo(List.of("Ingress", "Egress"));
    List<?> ingress = (List<?>) spec.get("ingress");
    assertThat(ingress).allSatisfy(rule -> assertThat(admitted(rule)).isNotEmpty());
    Object clients = Map.of("podSelector", Map.of("matchLabels", Map.of("sash-client", "true")));
    Object portsOfClients =
        ingress.stream()
            .filter(rule -> admitted(rule).equals(List.of(clients)))
            .map(rule -> ((Map<?, ?>) rule).get("ports"))
            .findFirst()
            .orElseThrow();
    Set<String> opened =
        found(
            Pattern.compile("(?<=- name: )[a-z]+(?=\\n +containerPort)"),
            Files.readString(MANIFESTS));
    assertThat(opened).contains("http", "grpc");
    assertThat((List<?>) portsOfClients)
        .extracting(port -> String.valueOf(((Map<?, ?>) port).get("port")))
        .hasSameElementsAs(opened);
  }

  private static List<?> admitted(Object rule) {
    return (List<?>) ((Map<?, ?>) rule).get("from");
  }

  private static List<Object> yaml(Path file) throws IOException {
    Load load = new Load(LoadSettings.builder().build());
    return StreamSupport.stream(load.loadAllFromString(Files.readString(file)).spliterator(), false)
        .toList();
  }

  private static Set<String> found(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(result -> result.group())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
