package dev.sash.spring;

import static dev.sash.spring.TestApp.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.LimiterRegistry;
import dev.sash.key.Keys;
import dev.sash.testkit.ManualClock;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.greenbytes.http.sfv.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What requests get, the same under MVC and WebFlux. */
@Timeout(120)
abstract class WebContract {
  abstract TestApp.Builder app(Class<?>... sources);

  private static String[] api(String... more) {
    String[] all = new String[more.length + 1];
    all[0] = "sash.policies.api.paths=/api/**";
    System.arraycopy(more, 0, all, 1, more.length);
    return all;
  }

  @Test
  void of200ParallelRequestsExactlyTheLimitGetThrough() {
    try (TestApp app = app(Shop.class).with(api("sash.policies.api.limits=50/1m")).start()) {
      List<Integer> statuses = app.statusesOf(200, "/api/hello");

      assertThat(Collections.frequency(statuses, 200)).isEqualTo(50);
      assertThat(Collections.frequency(statuses, 429)).isEqualTo(150);
      assertThat(app.bean(Shop.Plain.class).handled).hasValue(50);
    }
  }

  @Test
  void admittedAndDeniedResponsesTellWhatIsLeft() throws Exception {
    try (TestApp app = app(Shop.class).with(api("sash.policies.api.limits=1/1m")).start()) {
      HttpResponse<String> admitted = app.get("/api/hello");
      assertThat(admitted.statusCode()).isEqualTo(200);
      assertThat(admitted.body()).isEqualTo("hello");
      assertThat(field(admitted, "RateLimit-Policy")).isEqualTo("\"api\";q=1;w=60");
      assertThat(field(admitted, "RateLimit")).isEqualTo("\"api\";r=0;t=60");

      app.bean(ManualClock.class).advance(Duration.ofMillis(20_500));
      HttpResponse<String> denied = app.get("/api/hello");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(field(denied, "RateLimit-Policy")).isEqualTo("\"api\";q=1;w=60");
      assertThat(field(denied, "RateLimit")).isEqualTo("\"api\";r=0;t=40");
      assertThat(field(denied, "Retry-After")).isEqualTo("40");
      assertThat(field(denied, "Cache-Control")).isEqualTo("no-store");
      assertThat(field(denied, "Content-Type")).isEqualTo("application/problem+json");
      assertThat(denied.body())
          .isEqualTo(
              "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                  + "\"title\":\"Too Many Requests\",\"status\":429,"
                  + "\"detail\":\"Limit api exceeded. Try again in 40 seconds.\","
                  + "\"violated-policies\":[\"api\"],\"retry-after\":40}");
      for (String name : List.of("RateLimit-Policy", "RateLimit")) {
        assertThat(Parser.parseList(field(denied, name)).get()).hasSize(1);
      }

      app.bean(ManualClock.class).advance(Duration.ofSeconds(40));
      assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
      assertThat(app.get("/", "X-Any", "thing").headers().map()).doesNotContainKey("ratelimit");
    }
  }

  @Test
  void olderFieldsAreWrittenIfAskedFor() throws Exception {
    try (TestApp app =
        app(Shop.class)
            .with(api("sash.policies.api.limits=9/1m"))
            .with("sash.web.fields=ratelimit-draft-6, x-ratelimit-delta")
            .start()) {
      HttpResponse<String> response = app.get("/api/hello");

      assertThat(field(response, "RateLimit-Remaining")).isEqualTo("8");
      assertThat(field(response, "X-RateLimit-Limit")).isEqualTo("9");
      assertThat(response.headers().firstValue("RateLimit")).isEmpty();
    }
  }

  @Test
  void aSpoofedXForwardedForDoesNotHelpAndATrustedOneIsBelieved() throws Exception {
    try (TestApp app = app(Shop.class).with(api("sash.policies.api.limits=1/1m")).start()) {
      assertThat(app.get("/api/hello", "X-Forwarded-For", "1.1.1.1").statusCode()).isEqualTo(200);
      assertThat(app.get("/api/hello", "X-Forwarded-For", "1.1.1.2").statusCode()).isEqualTo(429);
    }
    try (TestApp app =
        app(Shop.class)
            .with(api("sash.policies.api.limits=1/1m"))
            .with("sash.web.trusted-proxies=127.0.0.0/8")
            .start()) {
      assertThat(app.get("/api/hello", "X-Forwarded-For", "1.1.1.1").statusCode()).isEqualTo(200);
      assertThat(app.get("/api/hello", "X-Forwarded-For", "1.1.1.2").statusCode()).isEqualTo(200);
      assertThat(app.get("/api/hello", "X-Forwarded-For", "9.9.9.9, 1.1.1.2").statusCode())
          .isEqualTo(429);
    }
  }

  @Test
  void everyPolicyThatFitsHoldsUnlessOneEndsTheSearch() throws Exception {
    try (TestApp app =
        app(Shop.class)
            .with(api("sash.policies.api.limits=100/1m"))
            .with("sash.policies.items.paths=/api/items/*", "sash.policies.items.limits=1/1m")
            .with("sash.policies.free.paths=/api/items/free", "sash.policies.free.limits=500/1m")
            .with("sash.policies.free.order=-1", "sash.policies.free.continue=false")
            .start()) {
      assertThat(field(app.get("/api/items/1"), "RateLimit"))
          .isEqualTo("\"api\";r=99;t=60, \"items\";r=0;t=60");
      HttpResponse<String> denied = app.get("/api/items/2");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(denied.body()).contains("\"violated-policies\":[\"items\"]");
      assertThat(app.bean(LimiterRegistry.class).get("api").peek("ip:127.0.0.1").used())
          .as("given back")
          .isEqualTo(1);
      assertThat(field(app.get("/api/items/free"), "RateLimit")).isEqualTo("\"free\";r=499;t=60");
    }
  }

  @Test
  void keysAreWhatTheExpressionSays() throws Exception {
    try (TestApp app =
        app(Shop.class)
            .with(api("sash.policies.api.limits=9/1m"))
            .with("sash.policies.api.key=apikey:X-Api-Key | header:X-Tenant + route | ip")
            .start()) {
      var limiter = app.bean(LimiterRegistry.class).get("api");
      app.get("/api/hello", "X-Api-Key", "s3cret");
      app.get("/api/items/7", "X-Tenant", "blue");
      app.get("/api/items/8", "X-Tenant", "blue");
      app.get("/api/none", "X-Tenant", "blue");
      app.get("/api/hello");

      assertThat(limiter.peek(Keys.ofApiKey("s3cret")).used()).isEqualTo(1);
      assertThat(limiter.peek("(header:x-tenant:blue|route:/api/items/{id})").used()).isEqualTo(2);
      assertThat(limiter.peek("ip:127.0.0.1").used()).as("no route, and none at all").isEqualTo(2);
    }
  }

  @Test
  void healthChecksAndExemptPathsAreNotLimited() throws Exception {
    try (TestApp app =
        app(Shop.class)
            .with("sash.policies.all.paths=/**", "sash.policies.all.limits=1/1m")
            .with("sash.web.exempt-paths=/api/items/**")
            .start()) {
      for (String path : List.of("/health", "/livez", "/health", "/api/items/1", "/api/items/2")) {
        assertThat(app.get(path).statusCode()).as(path).isEqualTo(200);
      }
      assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
      assertThat(app.get("/api/hello").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void aHealthCheckThatAPolicyNamesIsLimited() throws Exception {
    try (TestApp app =
        app(Shop.class)
            .with("sash.policies.health.paths=/health", "sash.policies.health.limits=1/1m")
            .with("sash.policies.all.paths=/**", "sash.policies.all.limits=9/1m")
            .start()) {
      assertThat(app.get("/health").statusCode()).isEqualTo(200);
      assertThat(app.get("/health").statusCode()).isEqualTo(429);
      assertThat(app.get("/livez").headers().map()).doesNotContainKey("ratelimit");
    }
  }

  @Test
  void aShadowPolicyAdmitsAndIsNotShown() throws Exception {
    try (TestApp app =
        app(Shop.class)
            .with(api("sash.policies.api.limits=2/1m", "sash.policies.api.mode=shadow"))
            .start()) {
      for (int i = 0; i < 5; i++) {
        HttpResponse<String> response = app.get("/api/hello");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().map()).doesNotContainKey("ratelimit");
      }
      assertThat(app.bean(LimiterRegistry.class).get("api").peek("ip:127.0.0.1").used())
          .isEqualTo(2);
    }
  }

  @Test
  void listsAllowAndDeny() throws Exception {
    try (TestApp app =
        app(Shop.class)
            .with(api("sash.policies.api.limits=1/1m", "sash.policies.api.key=header:X-User"))
            .with("sash.web.allow-keys=header:x-user:ann", "sash.web.deny-keys=header:x-user:eve")
            .start()) {
      assertThat(app.get("/api/hello", "X-User", "ann").statusCode()).isEqualTo(200);
      assertThat(app.get("/api/hello", "X-User", "ann").statusCode()).isEqualTo(200);
      assertThat(app.get("/api/hello", "X-User", "eve").statusCode()).isEqualTo(403);
    }
    try (TestApp app = app(Shop.class).with("sash.web.deny-addresses=127.0.0.1").start()) {
      assertThat(app.get("/").statusCode()).as("also without any policy").isEqualTo(403);
    }
  }

  @Test
  void onlyFailedLoginsAreCharged() throws Exception {
    try (TestApp app =
        app(Shop.class)
            .with("sash.policies.login.paths=/login", "sash.policies.login.methods=POST")
            .with("sash.policies.login.limits=2/15m")
            .with("sash.policies.login.charge-only-status=401, 403")
            .start()) {
      for (int i = 0; i < 5; i++) {
        assertThat(app.send("POST", "/login?password=right").statusCode()).isEqualTo(200);
      }
      assertThat(app.send("POST", "/login?password=wrong").statusCode()).isEqualTo(401);
      assertThat(app.send("POST", "/login?password=right").statusCode()).isEqualTo(200);
      assertThat(app.send("POST", "/login?password=wrong").statusCode()).isEqualTo(401);
      assertThat(app.send("POST", "/login?password=right").statusCode()).isEqualTo(429);
      assertThat(app.get("/login").statusCode()).as("not a POST").isEqualTo(405);
    }
  }

  @Test
  void tiersHaveLimitsOfTheirOwn() throws Exception {
    try (TestApp app =
        app(Shop.class)
            .with(api("sash.policies.api.limits=1/1m", "sash.policies.api.tiers.pro=3/1m"))
            .with("sash.policies.api.key=apikey:X-Api-Key", "sash.tiers.pro.api-keys=gold, silver")
            .start()) {
      for (int i = 0; i < 3; i++) {
        assertThat(app.get("/api/hello", "X-Api-Key", "gold").statusCode()).isEqualTo(200);
      }
      HttpResponse<String> denied = app.get("/api/hello", "X-Api-Key", "gold");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(field(denied, "RateLimit-Policy")).isEqualTo("\"api\";q=3;w=60");
      assertThat(app.get("/api/hello", "X-Api-Key", "lead").statusCode()).isEqualTo(200);
      assertThat(app.get("/api/hello", "X-Api-Key", "lead").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void costsUnitsAndMissingKeysAreAsConfigured() throws Exception {
    try (TestApp app =
        app(Shop.class)
            .with(api("sash.policies.api.limits=100/1m", "sash.policies.api.cost=2"))
            .with("sash.policies.api.cost-header=X-Cost", "sash.policies.api.unit=rows")
            .with("sash.web.trusted-proxies=127.0.0.1")
            .with("sash.web.trusted-proxy-header=Forwarded")
            .with("sash.policies.users.paths=/api/**", "sash.policies.users.limits=9/1m")
            .with("sash.policies.users.key=header:X-User")
            .with("sash.policies.users.skip-without-key=true")
            .start()) {
      HttpResponse<String> plain = app.get("/api/hello");
      assertThat(field(plain, "RateLimit-Policy")).isEqualTo("\"api\";q=100;w=60;qu=\"rows\"");
      assertThat(field(plain, "RateLimit")).isEqualTo("\"api\";r=98;t=60");
      HttpResponse<String> dear = app.get("/api/hello", "X-Cost", "10", "X-User", "ann");
      assertThat(field(dear, "RateLimit")).isEqualTo("\"api\";r=88;t=60, \"users\";r=8;t=60");
      HttpResponse<String> other = app.get("/api/hello", "Forwarded", "for=192.0.2.7");
      assertThat(field(other, "RateLimit")).isEqualTo("\"api\";r=98;t=60");
    }
  }

  @Test
  void aKeyMayBeABeanAndCustomizersAddRules() throws Exception {
    try (TestApp app =
        app(Shop.class, OwnKeys.class)
            .with(api("sash.policies.api.limits=9/1m", "sash.policies.api.key=bean:tenants"))
            .with("sash.policies.root.limits=9/1m")
            .start()) {
      app.get("/api/hello", "X-Tenant", "blue");
      app.get("/");

      assertThat(app.bean(LimiterRegistry.class).get("api").peek("tenant:blue").used())
          .isEqualTo(1);
      assertThat(app.bean(LimiterRegistry.class).get("root").peek("all:").used()).isEqualTo(1);
    }
  }

  @Test
  void theTierIsResolvedOncePerRequestAndPolicy() throws Exception {
    try (TestApp app =
        app(Shop.class, CountedTiers.class)
            .with(api("sash.policies.api.limits=9/1m", "sash.policies.api.tiers.pro=2/1m"))
            .start()) {
      CountedTiers tiers = app.bean(CountedTiers.class);
      HttpResponse<String> admitted = app.get("/api/hello");
      assertThat(field(admitted, "RateLimit-Policy")).isEqualTo("\"api\";q=2;w=60");
      assertThat(tiers.calls()).isEqualTo(1);
      app.get("/api/hello");
      assertThat(tiers.calls()).isEqualTo(1);
      assertThat(app.get("/api/hello").statusCode()).isEqualTo(429);
      assertThat(tiers.calls()).as("denied").isEqualTo(1);
    }
  }

  @Test
  void theTierIsResolvedOnceForARequestThatIsRefunded() throws Exception {
    try (TestApp app =
        app(Shop.class, CountedTiers.class)
            .with(api("sash.policies.api.limits=9/1m", "sash.policies.api.tiers.pro=20/1m"))
            .with("sash.policies.items.paths=/api/items/*", "sash.policies.items.limits=1/1m")
            .start()) {
      CountedTiers tiers = app.bean(CountedTiers.class);
      app.get("/api/items/1");
      assertThat(tiers.calls()).isEqualTo(1);
      assertThat(app.get("/api/items/2").statusCode()).isEqualTo(429);
      assertThat(tiers.calls()).as("charged and refunded").isEqualTo(1);
    }
  }

  @Test
  void nothingIsLimitedIfThatIsSaid() throws Exception {
    try (TestApp app =
        app(Shop.class)
            .with(api("sash.policies.api.limits=1/1m"))
            .with("sash.enabled=false")
            .start()) {
      assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
      assertThat(app.get("/api/hello").headers().map()).doesNotContainKey("ratelimit");
      assertThat(app.bean(LimiterRegistry.class).get("api").tryAcquire("k").allowed()).isTrue();
    }
  }
}
