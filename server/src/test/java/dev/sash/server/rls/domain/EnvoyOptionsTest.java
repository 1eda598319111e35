package dev.sash.server.rls.domain;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import dev.sash.config.Configuration;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.counter.TimeLimit;
import dev.sash.server.rls.wire.RlsRequest;
import dev.sash.server.rls.wire.RlsRequest.Descriptor;
import dev.sash.server.rls.wire.RlsResponse;
import dev.sash.server.rls.wire.RlsStatus;
import dev.sash.testkit.ManualClock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What files of envoyproxy/ratelimit can switch on, and what {@code rls} says about them. */
class EnvoyOptionsTest {
  @TempDir Path folder;

  private final ManualClock clock = new ManualClock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private Decider decider;

  /** A domain {@code shop}, and a native file beside it. */
  private void configure(String descriptors, String nativeFile) throws IOException {
    Files.writeString(folder.resolve("shop.yaml"), "domain: shop\ndescriptors:\n" + descriptors);
    if (!nativeFile.isEmpty()) {
      Files.writeString(folder.resolve("sash.yaml"), nativeFile);
    }
    InMemoryStore store = InMemoryStore.builder().clock(clock).build();
    Engine engine = new Engine(store, "memory", Configuration.load(folder));
    decider = new Decider(engine, Duration.ofSeconds(1), new DescriptorMeters(registry));
  }

  private void configure(String descriptors) throws IOException {
    configure(descriptors, "");
  }

  private static Descriptor costing(String entries, Long hits) {
    return new Descriptor(EnvoyFiles.entries(entries), null, hits, false);
  }

  private static Descriptor givingBack(String entries, long hits) {
    return new Descriptor(EnvoyFiles.entries(entries), null, hits, true);
  }

  private RlsResponse askOf(String domain, Descriptor... descriptors) {
    RlsRequest request = new RlsRequest(domain, List.of(descriptors), 0);
    return decider.decide(request, TimeLimit.NONE).toCompletableFuture().join();
  }

  private RlsResponse ask(Descriptor... descriptors) {
    return askOf("shop", descriptors);
  }

  private RlsResponse ask(String... entries) {
    return ask(Arrays.stream(entries).map(e -> costing(e, null)).toArray(Descriptor[]::new));
  }

  private static List<Boolean> over(RlsResponse response) {
    return response.statuses().stream().map(RlsStatus::overLimit).toList();
  }

  private static final String QUOTAS =
      """
      - key: service
        value: one
        quota_mode: true
        rate_limit: {unit: minute, requests_per_unit: 1}
        metadata: {service: {name: one, weight: 1}}
      - key: service
        value: two
        quota_mode: true
        rate_limit: {unit: minute, requests_per_unit: 2}
        metadata: {service: {name: two, zone: b}, spare: [true, null, 1.5]}
      - key: user
        rate_limit: {unit: minute, requests_per_unit: 4}
      """;

  @Test
  void quotasDenyOnlyTogether() throws IOException {
    configure(QUOTAS);

    RlsResponse first = ask("service=one", "service=two");
    assertThat(over(first)).containsExactly(false, false);
    assertThat(first.overLimit()).isFalse();
    RlsResponse second = ask("service=one", "service=two");
    assertThat(over(second)).containsExactly(true, false);
    assertThat(second.overLimit()).isFalse();
    RlsResponse third = ask("service=one", "service=two");
    assertThat(over(third)).containsExactly(true, true);
    assertThat(third.overLimit()).isTrue();
    clock.advance(Duration.ofMinutes(1));
    assertThat(ask("service=one", "service=two").overLimit()).isFalse();
  }

  @Test
  void aLimitThatIsNoQuotaDeniesBesideQuotasWithRoom() throws IOException {
    configure(QUOTAS);
    ask(costing("user=ann", 4L));

    RlsResponse response = ask("service=one", "user=ann");

    assertThat(over(response)).containsExactly(false, true);
    assertThat(response.overLimit()).isTrue();
  }

  @Test
  void whileAllQuotasAreExceededOtherLimitsAreNotCharged() throws IOException {
    configure(QUOTAS);
    ask(costing("service=one", 2L));

    assertThat(ask("service=one", "user=ann").overLimit()).isTrue();
    assertThat(ask(costing("user=ann", 0L)).statuses().get(0).remaining()).isEqualTo(4);
  }

  @Test
  void hitsOfAQuotaAreRecordedBeyondItsLimit() throws IOException {
    configure(QUOTAS);

    assertThat(ask(costing("service=two", 0L)).overLimit()).isFalse();
    assertThat(ask(costing("service=two", 57L)).overLimit()).isTrue();
    RlsResponse next = ask(costing("service=two", 0L));
    assertThat(next.overLimit()).isTrue();
    assertThat(next.statuses().get(0).untilReset()).isEqualTo(Duration.ofMinutes(1));
    clock.advance(Duration.ofMinutes(1));
    assertThat(ask(costing("service=two", 0L)).overLimit()).isFalse();
  }

  private static String json(RlsResponse response) throws InvalidProtocolBufferException {
    return JsonFormat.printer()
        .omittingInsignificantWhitespace()
        .sortingMapKeys()
        .print(response.metadata())
        .replace("\\u003d", "=");
  }

  @Test
  void metadataOfThoseWithRoomIsReturnedAndMerged() throws IOException {
    configure(QUOTAS);

    assertThat(json(ask("service=one", "service=two", "user=ann")))
        .isEqualTo(
            "{\"descriptors\":[{\"entries\":[\"service=one\"]},{\"entries\":[\"service=two\"]},"
                + "{\"entries\":[\"user=ann\"]}],\"domain\":\"shop\",\"metadata\":"
                + "{\"service\":{\"name\":\"one\",\"weight\":1.0,\"zone\":\"b\"},"
                + "\"spare\":[true,null,1.5]}}");
    assertThat(json(ask("service=one", "service=two")))
        .contains("\"metadata\":{\"service\":{\"name\":\"two\",\"zone\":\"b\"},");
    assertThat(ask("service=one").metadata().getFieldsCount()).as("over its limit").isZero();
    assertThat(ask("user=ann").metadata().getFieldsCount()).as("has none").isZero();
  }

  private static final String SHARED =
      """
      - key: file
        value: files/*
        share_threshold: true
        rate_limit: {unit: hour, requests_per_unit: 2}
      - key: file
        value: files/own
        rate_limit: {unit: hour, requests_per_unit: 1}
      - key: apart
        value: files/*
        rate_limit: {unit: hour, requests_per_unit: 2}
      - key: tenant
        value: t*prod
        share_threshold: true
        descriptors:
          - key: path
            value: /v1/*
            rate_limit: {unit: hour, requests_per_unit: 1}
      """;

  @Test
  void allValuesOfASharedThresholdCountTogether() throws IOException {
    configure(SHARED);

    assertThat(ask("file=files/a").overLimit()).isFalse();
    assertThat(ask("file=files/b").statuses().get(0).remaining()).isZero();
    assertThat(ask("file=files/c").overLimit()).isTrue();
    assertThat(ask("file=files/*").overLimit()).as("the pattern itself").isTrue();
    assertThat(ask("file=files/own").overLimit()).as("exactly its value").isFalse();
    for (String value : List.of("files/a", "files/b")) {
      assertThat(ask("apart=" + value).statuses().get(0).remaining()).isEqualTo(1);
    }
  }

  @Test
  void whatIsBelowASharedThresholdIsCountedForItself() throws IOException {
    configure(SHARED);

    assertThat(ask("tenant=t1prod path=/v1/a").overLimit()).isFalse();
    assertThat(ask("tenant=t2prod path=/v1/b").overLimit()).isFalse();
    assertThat(ask("tenant=t3prod path=/v1/a").overLimit()).isTrue();
  }

  private static final String POST_PAID =
      """
      - key: tokens
        rate_limit: {unit: minute, requests_per_unit: 100, name: tokens}
      - key: user
        rate_limit: {unit: minute, requests_per_unit: 100}
      """;

  private void assertRecordedBeyondTheLimit(String domain, String entries) {
    assertThat(askOf(domain, costing(entries, 90L)).overLimit()).isFalse();
    RlsResponse beyond = askOf(domain, costing(entries, 57L));
    assertThat(beyond.overLimit()).isTrue();
    clock.advance(Duration.ofSeconds(30));
    assertThat(askOf(domain, costing(entries, 0L)).overLimit()).isTrue();
    assertThat(askOf(domain, costing(entries, 10L)).overLimit()).isTrue();
    clock.advance(Duration.ofSeconds(30));
    // The last 10 are still charged.
    RlsResponse free = askOf(domain, costing(entries, 0L));
    assertThat(free.overLimit()).isFalse();
    assertThat(free.statuses().get(0).remaining()).isEqualTo(90);
  }

  @Test
  void namedLimitsCanBeChargedAlways() throws IOException {
    configure(POST_PAID, "rls: {charge-always: [tokens]}");

    assertRecordedBeyondTheLimit("shop", "tokens=ann");
    ask(costing("user=ann", 90L));
    assertThat(ask(costing("user=ann", 57L)).overLimit()).isTrue();
    assertThat(ask("user=ann").statuses().get(0).remaining()).as("not charged").isEqualTo(9);
  }

  @Test
  void allLimitsCanBeChargedAlways() throws IOException {
    configure(POST_PAID, "rls: {charge: always}");

    assertRecordedBeyondTheLimit("shop", "tokens=ann");
    assertRecordedBeyondTheLimit("shop", "user=ann");
    Descriptor own =
        new Descriptor(EnvoyFiles.entries("own=1"), new RlsRequest.OwnLimit(1, 2), 5L, false);
    assertThat(ask(own).overLimit()).isTrue();
    assertThat(ask(own).statuses().get(0).remaining()).isZero();
  }

  @Test
  void policiesCanBeChargedAlways() throws IOException {
    configure("  []", "policies: {llm: {limit: 100/1m, charge: always}, plain: {limit: 100/1m}}");

    assertRecordedBeyondTheLimit("llm", "key=ann");
    askOf("plain", costing("key=ann", 90L));
    assertThat(askOf("plain", costing("key=ann", 57L)).overLimit()).isTrue();
    assertThat(askOf("plain", costing("key=ann", 0L)).statuses().get(0).remaining()).isEqualTo(10);
  }

  @Test
  void whatIsChargedAlwaysStaysChargedWhenAnotherDescriptorDenies() throws IOException {
    configure(POST_PAID, "rls: {charge-always: [tokens]}");
    ask(costing("user=ann", 100L));

    RlsResponse denied = ask(costing("user=ann", 1L), costing("tokens=ann", 40L));

    assertThat(over(denied)).containsExactly(true, false);
    assertThat(ask(costing("tokens=ann", 0L)).statuses().get(0).remaining()).isEqualTo(60);
  }

  @Test
  void withoutPermissionNothingIsGivenBackAndTheStatusIsThatOfALook() throws IOException {
    configure(POST_PAID);
    ask(costing("user=ann", 40L));

    RlsResponse look = ask(givingBack("user=ann", 30));
    assertThat(look.overLimit()).isFalse();
    assertThat(look.statuses().get(0).remaining()).isEqualTo(60);
    ask(costing("user=ann", 60L));
    assertThat(ask(givingBack("user=ann", 100))).isEqualTo(ask(costing("user=ann", 0L)));
    assertThat(ask("user=ann").overLimit()).isTrue();
  }

  @Test
  void withPermissionHitsAreGivenBack() throws IOException {
    configure(POST_PAID, "rls: {refunds: true}");
    ask(costing("user=ann", 40L));

    assertThat(ask(givingBack("user=ann", 30)).statuses().get(0).remaining()).isEqualTo(90);
  }

  private static final String METERED =
      """
      - key: plain
        rate_limit: {unit: minute, requests_per_unit: 1}
      - key: route
        value_to_metric: true
        descriptors:
          - key: method
            value: GET
            descriptors:
              - key: user
                rate_limit: {unit: minute, requests_per_unit: 100}
      - key: path
        value: /api/*
        value_to_metric: true
        rate_limit: {unit: minute, requests_per_unit: 100}
      - key: path
        value: /files/*
        value_to_metric: true
        share_threshold: true
        rate_limit: {unit: minute, requests_per_unit: 100}
      - key: all
        descriptors:
          - key: user
            detailed_metric: true
            rate_limit: {unit: minute, requests_per_unit: 100}
      - key: watched
        shadow_mode: true
        rate_limit: {unit: minute, requests_per_unit: 1}
      """;

  private double hits(String descriptor, String outcome) {
    Counter counter =
        registry
            .find("sash.rls.hits")
            .tags("domain", "shop", "descriptor", descriptor, "outcome", outcome)
            .counter();
    return counter == null ? -1 : counter.count();
  }

  @Test
  void hitsAreCountedByDescriptor() throws IOException {
    configure(METERED);
    ask(costing("plain=a", 1L));
    ask(costing("plain=a", 3L));
    ask(costing("watched=a", 2L));
    ask("plain=b", "nothing=x");

    assertThat(hits("plain", "allowed")).isEqualTo(2);
    assertThat(hits("plain", "denied")).isEqualTo(3);
    assertThat(hits("watched", "shadow")).isEqualTo(2);
    assertThat(hits("nothing", "allowed")).isEqualTo(-1);
  }

  @Test
  void hitsThatAnotherDescriptorKeptFromBeingChargedAreNotCounted() throws IOException {
    configure(METERED);
    ask("plain=a");
    ask("plain=a", "path=/api/x");

    assertThat(hits("path_/api/x", "allowed")).isZero();
    assertThat(hits("plain", "denied")).isEqualTo(1);
  }

  @Test
  void valuesOfRequestsAreInMetricsWhereTheFileSaysSo() throws IOException {
    configure(METERED);
    ask("route=web method=GET user=ann");
    ask("route=web method=GET user=bob");
    ask("route=app method=GET user=ann");
    ask("path=/api/x");
    ask("path=/files/x");
    ask("all=x user=ann");

    assertThat(hits("route_web.method_GET.user", "allowed")).isEqualTo(2);
    assertThat(hits("route_app.method_GET.user", "allowed")).isEqualTo(1);
    assertThat(hits("path_/api/x", "allowed")).isEqualTo(1);
    assertThat(hits("path_/files/*", "allowed")).as("shared").isEqualTo(1);
    assertThat(hits("all_x.user_ann", "allowed")).isEqualTo(1);
  }

  @Test
  void onlyABoundedNumberOfValuesHasCountersOfItsOwn() throws IOException {
    configure(METERED);
    int more = 50;
    for (int i = 0; i < DescriptorMeters.MOST_WITH_REQUEST_VALUES + more; i++) {
      ask("path=/api/" + i);
    }
    ask("path=/api/0");
    ask("path=/api/" + "x".repeat(300));

    assertThat(hits("path_/api/0", "allowed")).isEqualTo(2);
    assertThat(hits("path_/api/*", "allowed")).as("the others").isEqualTo(more + 1);
    assertThat(registry.find("sash.rls.hits").tag("outcome", "allowed").counters())
        .hasSize(DescriptorMeters.MOST_WITH_REQUEST_VALUES + 1);
  }
}
