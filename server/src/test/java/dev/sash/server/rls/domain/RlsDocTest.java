package dev.sash.server.rls.domain;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.util.JsonFormat;
import dev.sash.config.Configuration;
import dev.sash.config.envoy.EnvoyUnit;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.counter.TimeLimit;
import dev.sash.server.rls.wire.RlsRequest;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;
import dev.sash.server.rls.wire.RlsRequest.Entry;
import dev.sash.server.rls.wire.RlsResponse;
import dev.sash.server.rls.wire.RlsStatus;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.extensions.filters.http.ratelimit.v3.RateLimit;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** docs/rls.md: Envoy would take its configuration, and the limits are those of the table. */
class RlsDocTest {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+=[^`]+)` \\| (.*) \\|$");
  private static final Pattern LIMIT = Pattern.compile("(\\d+) per (\\w+).*");

  private static String page;

  @BeforeAll
  static void read() throws IOException {
    page = Files.readString(Path.of("..", "docs", "rls.md"));
  }

  private static String block(String kind) {
    Matcher block = Pattern.compile("```yaml " + kind + "\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(block.find()).as(kind).isTrue();
    return block.group(1);
  }

  private static Engine engine(String kind) {
    return new Engine(
        InMemoryStore.create(), "memory", Configuration.parse(block(kind), kind + ".yaml"));
  }

  private static List<RlsStatus> ask(Engine engine, String domain, String... descriptors) {
    List<Descriptor> list = new ArrayList<>();
    for (String entries : descriptors) {
      list.add(new Descriptor(EnvoyFiles.entries(entries), null, null, false));
    }
    DescriptorMeters meters = new DescriptorMeters(new SimpleMeterRegistry());
    return new Decider(engine, Duration.ofSeconds(1), meters)
        .decide(new RlsRequest(domain, list, 0), TimeLimit.NONE)
        .toCompletableFuture()
        .join()
        .statuses();
  }

  /** By Envoy's own protos: an unknown name or a value of another type would fail. */
  private static Bootstrap bootstrap() throws IOException {
    Object yaml = new Load(LoadSettings.builder().build()).loadFromString(block("envoy"));
    TypeRegistry extensions =
        TypeRegistry.newBuilder()
            .add(HttpConnectionManager.getDescriptor())
            .add(RateLimit.getDescriptor())
            .add(Router.getDescriptor())
            .add(HttpProtocolOptions.getDescriptor())
            .build();
    Bootstrap.Builder bootstrap = Bootstrap.newBuilder();
    JsonFormat.parser().usingTypeRegistry(extensions).merge(new Gson().toJson(yaml), bootstrap);
    return bootstrap.build();
  }

  private static HttpConnectionManager connectionManager() throws IOException {
    return bootstrap()
        .getStaticResources()
        .getListeners(0)
        .getFilterChains(0)
        .getFilters(0)
        .getTypedConfig()
        .unpack(HttpConnectionManager.class);
  }

  @Test
  void envoyUnderstandsItsConfiguration() throws IOException {
    RateLimit filter =
        connectionManager().getHttpFilters(0).getTypedConfig().unpack(RateLimit.class);
    String cluster = filter.getRateLimitService().getGrpcService().getEnvoyGrpc().getClusterName();
    assertThat(bootstrap().getStaticResources().getClustersList())
        .anyMatch(
            c ->
                c.getName().equals(cluster)
                    && c.containsTypedExtensionProtocolOptions(
                        "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"));
    assertThat(block("limits")).startsWith("domain: " + filter.getDomain() + "\n");
  }

  @Test
  void theLimitsAreThoseOfTheTable() {
    Engine engine = engine("limits");
    List<MatchResult> rows = ROW.matcher(page).results().toList();
    assertThat(rows).hasSize(10);
    for (MatchResult row : rows) {
      RlsStatus status = ask(engine, "shop", row.group(1)).get(0);
      Matcher limit = LIMIT.matcher(row.group(2));
      if (limit.matches()) {
        assertThat(status.currentLimit()).as(row.group()).isNotNull();
        assertThat(status.currentLimit().requestsPerUnit())
            .as(row.group())
            .isEqualTo(Long.parseLong(limit.group(1)));
        EnvoyUnit unit = EnvoyUnit.valueOf(limit.group(2).toUpperCase(Locale.ROOT));
        assertThat(status.currentLimit().unit()).as(row.group()).isEqualTo(unit.number());
      } else {
        boolean unlimited = row.group(2).startsWith("unlimited");
        assertThat(unlimited || row.group(2).startsWith("none")).as(row.group()).isTrue();
        assertThat(status).isEqualTo(unlimited ? RlsStatus.UNLIMITED : RlsStatus.UNMATCHED);
      }
    }
  }

  @Test
  void testersAreNotHeldToLoginsAndCountriesAreOnlyWatched() {
    Engine engine = engine("limits");
    String login = "generic_key=login remote_address=203.0.113.9";
    for (int i = 0; i < 8; i++) {
      List<RlsStatus> statuses = ask(engine, "shop", login, "tester=yes", "country=xx");
      assertThat(statuses).noneMatch(RlsStatus::overLimit);
      assertThat(statuses.get(0)).isEqualTo(RlsStatus.UNMATCHED);
    }
    for (int i = 0; i < 5; i++) {
      assertThat(ask(engine, "shop", login).get(0).overLimit()).isFalse();
    }
    assertThat(ask(engine, "shop", login).get(0).overLimit()).isTrue();
  }

  /** The paths in the first cell of the row with that limit. */
  private static List<String> paths(String limit) {
    Matcher row = Pattern.compile("(?m)^\\| (`/.*`) \\| " + Pattern.quote(limit)).matcher(page);
    assertThat(row.find()).as(limit).isTrue();
    return List.of(row.group(1).replace("`", "").split(", "));
  }

  @Test
  void whateverIsTheSameLoginToAnApplicationIsCountedTogether() throws IOException {
    Engine engine = engine("limits");
    EnvoyModel envoy = new EnvoyModel(connectionManager());
    List<String> paths = paths("5 logins per minute");
    assertThat(paths).contains("/login", "/login?1", "//login", "/login/", "/%6cogin");
    int admitted = 0;
    for (String path : paths) {
      String[] descriptors = envoy.descriptors(path, "203.0.113.9");
      admitted += ask(engine, "shop", descriptors).stream().anyMatch(RlsStatus::overLimit) ? 0 : 1;
    }
    assertThat(admitted).isEqualTo(5);
    for (String path : paths("none but that of the address")) {
      assertThat(envoy.descriptors(path, "203.0.113.9"))
          .containsExactly("remote_address=203.0.113.9");
    }
  }

  @Test
  void metadataTellsWhichQuotaHasRoom() throws IOException {
    Engine engine = engine("quota");
    DescriptorMeters meters = new DescriptorMeters(new SimpleMeterRegistry());
    Decider decider = new Decider(engine, Duration.ofSeconds(1), meters);
    Descriptor large = new Descriptor(EnvoyFiles.entries("model=large"), null, 0L, false);
    Descriptor small = new Descriptor(EnvoyFiles.entries("model=small"), null, 0L, false);
    RlsRequest both = new RlsRequest("models", List.of(large, small), 0);
    for (String name : List.of("large", "small")) {
      RlsResponse response = decider.decide(both, TimeLimit.NONE).toCompletableFuture().join();
      assertThat(response.overLimit()).isFalse();
      String json =
          JsonFormat.printer().omittingInsignificantWhitespace().print(response.metadata());
      assertThat(json).contains("\"metadata\":{\"model\":{\"name\":\"" + name + "\"}}");
      List<Entry> entries = EnvoyFiles.entries("model=" + name);
      Descriptor tokens = new Descriptor(entries, null, 9_000L, false);
      decider
          .decide(new RlsRequest("models", List.of(tokens), 0), TimeLimit.NONE)
          .toCompletableFuture()
          .join();
    }
    assertThat(decider.decide(both, TimeLimit.NONE).toCompletableFuture().join().overLimit())
        .isTrue();
  }

  @Test
  void aPolicyIsADomainAndSharesItsCounts() {
    Engine engine = engine("native");
    String entries = "remote_address=203.0.113.9 plan=gold";
    assertThat(page).contains("`" + entries + "`");

    RlsStatus status = ask(engine, "api", entries).get(0);

    assertThat(status.currentLimit()).isEqualTo(new RlsStatus.CurrentLimit(1000, 2, "api"));
    CheckRequest overHttp = CheckRequest.of("api", "ip:203.0.113.9", 0L);
    assertThat(engine.check(overHttp).toCompletableFuture().join().decision().used()).isEqualTo(1);
  }
}
