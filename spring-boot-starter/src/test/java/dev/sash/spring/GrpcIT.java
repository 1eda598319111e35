package dev.sash.spring;

import static dev.sash.spring.GrpcShop.EXPORT;
import static dev.sash.spring.GrpcShop.FIND;
import static dev.sash.spring.GrpcShop.PLACE;
import static dev.sash.spring.GrpcShop.SUGGEST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.StringValue;
import com.google.rpc.RetryInfo;
import dev.sash.Decision;
import dev.sash.LimiterRegistry;
import dev.sash.grpc.CallKey;
import dev.sash.key.Keys;
import dev.sash.spring.config.PolicyRefresh;
import dev.sash.testkit.ManualClock;
import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.StatusProto;
import io.grpc.protobuf.services.HealthStatusManager;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** gRPC calls that properties limit, on a server that Spring Boot starts. */
@Timeout(120)
class GrpcIT {
  private static final String HERE = "ip:127.0.0.1";

  static StatusRuntimeException denied(
      GrpcShop shop, MethodDescriptor<StringValue, StringValue> method, String... metadata) {
    StatusRuntimeException failure =
        catchThrowableOfType(StatusRuntimeException.class, () -> shop.call(method, metadata));
    assertThat(failure).as("the call was not denied").isNotNull();
    return failure;
  }

  static Duration retryAfter(StatusRuntimeException denied) throws Exception {
    return Duration.ofSeconds(
        StatusProto.fromThrowable(denied)
            .getDetails(0)
            .unpack(RetryInfo.class)
            .getRetryDelay()
            .getSeconds());
  }

  private static void assertDenied(
      GrpcShop shop, MethodDescriptor<StringValue, StringValue> method, String... metadata) {
    assertThat(denied(shop, method, metadata).getStatus().getCode())
        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
  }

  private static Decision state(GrpcShop shop, String policy, String key) {
    return shop.app().bean(LimiterRegistry.class).get(policy).resolve(key).tryAcquire(0);
  }

  private static long used(GrpcShop shop, String policy, String key) {
    return state(shop, policy, key).used();
  }

  @Test
  void propertiesAloneLimitTheCallsOfAService() throws Exception {
    try (GrpcShop shop =
        GrpcShop.start("search.limits=2/1m", "search.grpc-methods=shop.Search/*")) {
      assertThat(shop.call(FIND)).isEqualTo("done");
      assertThat(shop.call(SUGGEST)).isEqualTo("done");
      StatusRuntimeException denied = denied(shop, FIND);

      assertThat(denied.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(denied.getStatus().getDescription())
          .isEqualTo("limit 'search' exceeded, retry after 60 s");
      assertThat(retryAfter(denied)).isEqualTo(Duration.ofMinutes(1));
      assertThat(
              denied
                  .getTrailers()
                  .get(Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER)))
          .isEqualTo("60000");
      assertThat(shop.call(PLACE)).isEqualTo("done");
      shop.app().bean(ManualClock.class).advance(Duration.ofMinutes(1));
      assertThat(shop.call(FIND)).isEqualTo("done");
    }
  }

  @Test
  void aCallIsChargedToAllOfItsPoliciesOrToNone() {
    try (GrpcShop shop =
        GrpcShop.start(
            "all.limits=9/1m",
            "all.grpc-methods=*",
            "export.limits=1/1h",
            "export.grpc-methods=shop.Orders/Export,shop.Search/*")) {
      shop.call(EXPORT);
      assertThat(denied(shop, EXPORT).getStatus().getDescription())
          .isEqualTo("limit 'export' exceeded, retry after 3600 s");
      shop.call(PLACE);

      assertThat(used(shop, "all", HERE)).isEqualTo(2);
      assertThat(used(shop, "export", HERE)).isEqualTo(1);
    }
  }

  @Test
  void ofSeveralDenialsTheClientLearnsTheLongestWait() {
    try (GrpcShop shop =
        GrpcShop.start(
            "minute.limits=1/1m",
            "minute.grpc-methods=*",
            "hour.limits=1/1h",
            "hour.grpc-methods=*",
            "second.limits=1/1s",
            "second.grpc-methods=*")) {
      shop.call(FIND);

      assertThat(denied(shop, FIND).getStatus().getDescription())
          .isEqualTo("limit 'hour' exceeded, retry after 3600 s");
    }
  }

  @Test
  void aPolicyCanEndTheSearchForOthers() {
    try (GrpcShop shop =
        GrpcShop.start(
            "orders.limits=5/1m",
            "orders.grpc-methods=shop.Orders/*",
            "orders.continue=false",
            "orders.order=-1",
            "all.limits=1/1m",
            "all.grpc-methods=*")) {
      shop.call(PLACE);
      shop.call(PLACE);
      shop.call(FIND);

      assertDenied(shop, FIND);
      assertThat(used(shop, "orders", HERE)).isEqualTo(2);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Tenants {
    @Bean
    CallKey tenants() {
      return CallKey.by(
          "tenant", (call, headers) -> "of " + call.getAuthority().replaceAll(":.*", ""));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '=',
      textBlock =
          """
          ip                             = ip:127.0.0.1
          header:X-Tenant                = header:x-tenant:blue
          method                         = method:shop.Search/Find
          all                            = all:
          bean:tenants                   = tenant:of localhost
          header:X-Tenant + method + ip  = (header:x-tenant:blue|method:shop.Search/Find|ip:127.0.0.1)
          header:none | header:X-Tenant  = header:x-tenant:blue
          header:none                    = ip:127.0.0.1
          """)
  void theKeyIsWhatThePropertySays(String key, String charged) {
    TestApp.Builder app =
        GrpcShop.with(
            TestApp.plain(GrpcShop.Application.class, TimedStore.class, Tenants.class),
            "search.limits=9/1m",
            "search.grpc-methods=shop.Search/Find",
            "search.key=" + key);
    try (GrpcShop shop = GrpcShop.start(app)) {
      shop.call(FIND, "x-tenant", "blue");

      assertThat(used(shop, "search", charged)).isEqualTo(1);
    }
  }

  @Test
  void secretsAreHashedAndHaveTiers() {
    TestApp.Builder app =
        GrpcShop.with(
            TestApp.plain(GrpcShop.Application.class, TimedStore.class),
            "search.limits=1/1m",
            "search.tiers.pro=3/1m",
            "search.grpc-methods=shop.Search/*",
            "search.key=apikey:x-api-key");
    try (GrpcShop shop = GrpcShop.start(app.with("sash.tiers.pro.api-keys=gold"))) {
      for (int i = 0; i < 3; i++) {
        shop.call(FIND, "x-api-key", "gold");
      }
      assertDenied(shop, FIND, "x-api-key", "gold");
      shop.call(FIND, "x-api-key", "iron");
      assertDenied(shop, FIND, "x-api-key", "iron");

      assertThat(used(shop, "search", Keys.ofApiKey("gold"))).isEqualTo(3);
    }
  }

  @Test
  void aCallWithoutTheKeyIsNotLimitedIfThatIsConfigured() {
    try (GrpcShop shop =
        GrpcShop.start(
            "tenant.limits=1/1m",
            "tenant.grpc-methods=*",
            "tenant.key=header:x-tenant",
            "tenant.skip-without-key=true")) {
      shop.call(FIND);
      shop.call(FIND);
      shop.call(FIND, "x-tenant", "blue");

      assertDenied(shop, FIND, "x-tenant", "blue");
      assertThat(used(shop, "tenant", HERE)).isZero();
    }
  }

  @Test
  void aCallCostsWhatIsConfigured() {
    try (GrpcShop shop =
        GrpcShop.start(
            "export.limits=10/1m", "export.grpc-methods=shop.Orders/Export", "export.cost=4")) {
      shop.call(EXPORT);
      shop.call(EXPORT);

      assertDenied(shop, EXPORT);
      assertThat(used(shop, "export", HERE)).isEqualTo(8);
    }
  }

  /** Spring Boot 4.1 would bring it by itself, 4.0 with the actuator only. */
  @Configuration(proxyBeanMethods = false)
  static class Health {
    @Bean
    BindableService health() {
      return new HealthStatusManager().getHealthService();
    }
  }

  private static GrpcShop startWithHealth(String... policies) {
    return GrpcShop.start(
        GrpcShop.with(TestApp.plain(GrpcShop.Application.class, TimedStore.class), policies)
            .alsoWith(Health.class)
            .with("spring.grpc.server.health.enabled=false"));
  }

  private static void assertHealthy(GrpcShop shop) {
    var unused =
        HealthGrpc.newBlockingStub(shop.channel()).check(HealthCheckRequest.getDefaultInstance());
  }

  @Test
  void healthChecksAreExemptUnlessAPolicyNamesThem() {
    try (GrpcShop shop = startWithHealth("all.limits=1/1m", "all.grpc-methods=*")) {
      for (int i = 0; i < 3; i++) {
        assertHealthy(shop);
      }
      assertThat(used(shop, "all", HERE)).isZero();
    }
    try (GrpcShop shop =
        startWithHealth("probes.limits=1/1m", "probes.grpc-methods=grpc.health.v1.Health/*")) {
      assertHealthy(shop);
      StatusRuntimeException denied =
          catchThrowableOfType(StatusRuntimeException.class, () -> assertHealthy(shop));
      assertThat(denied.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }
  }

  @Test
  void shadowPoliciesCountAndDoNotDeny() {
    try (GrpcShop shop =
        GrpcShop.start(
            "strict.limits=1/1m",
            "strict.grpc-methods=*",
            "strict.mode=shadow",
            "all.limits=3/1m",
            "all.grpc-methods=*")) {
      for (int i = 0; i < 3; i++) {
        shop.call(FIND);
      }
      assertThat(used(shop, "strict", HERE)).isEqualTo(1);
      assertThat(denied(shop, FIND).getStatus().getDescription()).contains("limit 'all'");
    }
  }

  @Test
  void limitsAndModeChangeWithoutARestart() {
    try (GrpcShop shop = GrpcShop.start("all.limits=1/1m", "all.grpc-methods=*")) {
      shop.call(FIND);
      assertDenied(shop, FIND);

      change(shop, "sash.policies.all.limits", "2/1m");
      shop.call(FIND);
      assertDenied(shop, FIND);

      change(shop, "sash.policies.all.mode", "shadow");
      shop.call(FIND);
      assertThat(used(shop, "all", HERE)).isEqualTo(2);
    }
  }

  private static void change(GrpcShop shop, String property, String value) {
    shop.app()
        .context()
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource(property, Map.of(property, value)));
    assertThat(shop.app().bean(PolicyRefresh.class).refresh()).containsExactly("all");
  }

  @Test
  void theActuatorShowsAndChangesPoliciesOfCalls() throws Exception {
    TestApp.Builder app =
        GrpcShop.with(
            TestApp.servlet(GrpcShop.Application.class, TimedStore.class)
                .withActuator()
                .with(
                    "management.endpoints.web.exposure.include=sash,health,metrics",
                    "management.endpoint.health.show-details=always",
                    "management.endpoint.sash.access=unrestricted"),
            "all.limits=1/1m",
            "all.grpc-methods=shop.Search/*",
            "all.key=header:x-tenant");
    try (GrpcShop shop = GrpcShop.start(app)) {
      shop.call(FIND, "x-tenant", "blue");
      assertDenied(shop, FIND, "x-tenant", "blue");

      assertThat(shop.app().get("/actuator/sash/all").body())
          .contains("\"grpcMethods\":[\"shop.Search/*\"]");
      assertThat(shop.app().get("/actuator/sash/all?key=header:x-tenant:blue").body())
          .contains("\"used\":1");
      assertThat(shop.app().get("/actuator/sash/all?key=user:ann").statusCode()).isEqualTo(400);
      assertThat(shop.app().get("/actuator/metrics/sash.decisions?tag=outcome:denied").body())
          .contains("\"value\":1.0");
      assertThat(shop.app().get("/actuator/health").body()).contains("\"sash\":");
      assertThat(
              shop.app()
                  .post("/actuator/sash/all", "application/json", "{\"limits\": \"2/1m\"}")
                  .statusCode())
          .isEqualTo(200);
      shop.call(FIND, "x-tenant", "blue");
    }
  }

  @Test
  void oneLimitHoldsForRequestsAndCalls() throws Exception {
    TestApp.Builder app =
        GrpcShop.with(
            TestApp.servlet(GrpcShop.Application.class, TimedStore.class),
            "all.limits=2/1m",
            "all.paths=/**",
            "all.grpc-methods=*",
            "all.key=header:X-Tenant");
    try (GrpcShop shop = GrpcShop.start(app)) {
      assertThat(shop.app().get("/none", "X-Tenant", "blue").statusCode()).isEqualTo(404);
      shop.call(FIND, "x-tenant", "blue");

      assertDenied(shop, FIND, "x-tenant", "blue");
      assertThat(shop.app().get("/none", "X-Tenant", "blue").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void nothingIsLimitedIfThatIsConfigured() {
    TestApp.Builder app =
        GrpcShop.with(
            TestApp.plain(GrpcShop.Application.class), "all.limits=1/1m", "all.grpc-methods=*");
    try (GrpcShop shop = GrpcShop.start(app.with("sash.enabled=false"))) {
      shop.call(FIND);
      assertThat(shop.call(FIND)).isEqualTo("done");
    }
  }
}
