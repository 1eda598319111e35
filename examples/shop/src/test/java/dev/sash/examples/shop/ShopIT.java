package dev.sash.examples.shop;

import static dev.sash.examples.shop.BruteForce.leadsTo;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.LimiterRegistry;
import dev.sash.memory.InMemoryStore;
import dev.sash.testkit.ManualClock;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** The example, as somebody who tries it out sees it. */
@Timeout(120)
class ShopIT {
  /** Counts the requests that the application receives. */
  @Order(Ordered.HIGHEST_PRECEDENCE)
  static class Arrivals implements Filter {
    final AtomicInteger count = new AtomicInteger();

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      count.incrementAndGet();
      chain.doFilter(request, response);
    }
  }

  /** Keeps limits in memory, by a clock that is moved by hand. */
  static class TimedStore {
    @Bean
    ManualClock clock() {
      return new ManualClock();
    }

    @Bean
    InMemoryStore store(ManualClock clock) {
      return InMemoryStore.builder().clock(clock).build();
    }
  }

  private static final String ANN = Customer.basic("ann", "sesame");
  private static final String HERE = "ip:127.0.0.1";
  private static final String ANN_HERE = "(login:ann|ip:127.0.0.1)";
  private static final String[] ELSEWHERE = {"X-Forwarded-For", "192.0.2.7"};

  private ConfigurableApplicationContext application;
  private ManualClock clock;
  private Customer customer;

  @BeforeEach
  void start() {
    application =
        new SpringApplication(Shop.class, Arrivals.class, TimedStore.class)
            .run("--server.port=0", "--sash.web.trusted-proxies=127.0.0.1");
    clock = application.getBean(ManualClock.class);
    customer =
        new Customer(
            "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port"));
  }

  @AfterEach
  void stop() {
    application.close();
  }

  @Test
  void everybodyMaySearchThirtyTimesAMinute() throws Exception {
    HttpResponse<String> first = customer.search();
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).contains("green tea").doesNotContain("coffee");
    assertThat(first.headers().firstValue("RateLimit-Policy")).hasValue("\"search\";q=30;w=60");
    assertThat(first.headers().firstValue("RateLimit")).hasValue("\"search\";r=29;t=60");

    for (int i = 2; i <= 30; i++) {
      assertThat(customer.search().statusCode()).isEqualTo(200);
    }
    HttpResponse<String> denied = customer.search();
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().firstValueAsLong("Retry-After").orElseThrow()).isEqualTo(60);
    assertThat(denied.headers().firstValue("RateLimit").orElseThrow())
        .startsWith("\"search\";r=0;t=");
    assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(denied.body())
        .contains("#quota-exceeded", "\"status\":429", "\"violated-policies\":[\"search\"]");
  }

  @Test
  void whoPaysMaySearchTenTimesAsMuch() throws Exception {
    for (int i = 1; i <= 300; i++) {
      assertThat(customer.search("X-Api-Key", "pro-1").statusCode()).isEqualTo(200);
    }
    HttpResponse<String> denied = customer.search("X-Api-Key", "pro-1");

    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().firstValue("RateLimit-Policy")).hasValue("\"search\";q=300;w=60");
    assertThat(customer.search("X-Api-Key", "pro-2").statusCode()).isEqualTo(200);
    assertThat(customer.search().statusCode()).isEqualTo(200);
  }

  @Test
  void whoPaysNothingHasALimitOfTheirOwnAllTheSame() throws Exception {
    for (int i = 1; i <= 30; i++) {
      assertThat(customer.search("X-Api-Key", "free-1").statusCode()).isEqualTo(200);
    }

    assertThat(customer.search("X-Api-Key", "free-1").statusCode()).isEqualTo(429);
    assertThat(customer.search("X-Api-Key", "free-2").statusCode()).isEqualTo(200);
  }

  @Test
  void anInventedApiKeyIsRefused() throws Exception {
    HttpResponse<String> refused = customer.search("X-Api-Key", "invented");

    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.headers().firstValue("RateLimit")).isEmpty();
    HttpResponse<String> browser = customer.search("X-Api-Key", "invented", "Accept", "text/html");
    assertThat(browser.statusCode()).as("not the login page").isEqualTo(401);
  }

  @Test
  void fiveUploadsAMinuteAreEnough() throws Exception {
    for (int i = 1; i <= 5; i++) {
      HttpResponse<String> done = customer.upload("a cup of tea");
      assertThat(done.statusCode()).isEqualTo(201);
      assertThat(done.body()).isEqualTo("{\"bytes\":12}");
    }

    assertThat(customer.upload("another").statusCode()).isEqualTo(429);
    assertThat(customer.search().statusCode()).isEqualTo(200);
  }

  /** Counts where requests arrive: a client may send a GET again if its connection breaks. */
  @Test
  void theStatusMayBeAskedForAThousandTimesAMinute() throws Exception {
    Arrivals arrivals = application.getBean(Arrivals.class);
    while (arrivals.count.get() < 1000) {
      HttpResponse<String> admitted = customer.status();
      assertThat(admitted.statusCode()).as("%s", admitted.headers().map()).isEqualTo(200);
      assertThat(remaining(admitted)).isEqualTo(1000 - arrivals.count.get());
    }

    assertThat(customer.status().statusCode()).isEqualTo(429);
  }

  private static int remaining(HttpResponse<String> response) {
    String field = response.headers().firstValue("RateLimit").orElseThrow();
    return Integer.parseInt(field.replaceAll("\"status\";r=([0-9]+);.*", "$1"));
  }

  @Test
  void correctPasswordsCostNothing() throws Exception {
    for (int i = 1; i <= 60; i++) {
      assertThat(customer.logIn("ann", "sesame")).matches(r -> leadsTo(r, "/api/orders"));
    }

    assertThat(used("login", ANN_HERE)).isZero();
    assertThat(used("login-address", HERE)).isZero();
  }

  @Test
  void aLoginFormCanBeGuessedFiveTimesInParallelAndThenNotAtAll() throws Exception {
    List<HttpResponse<String>> responses =
        BruteForce.run(300, guess -> customer.logIn("ann", "guess" + guess));

    assertThat(BruteForce.wrongPasswords(responses)).hasSize(5);
    List<HttpResponse<String>> denied = BruteForce.denied(responses);
    assertThat(denied).hasSize(295);
    for (HttpResponse<String> response : denied) {
      assertThat(response.headers().firstValue("Retry-After")).hasValue("900");
      assertThat(response.body()).contains("\"violated-policies\":[\"login\"]");
    }
    assertThat(used("login", ANN_HERE)).isEqualTo(5);
    assertThat(used("login-address", HERE)).as("nothing for denied guesses").isEqualTo(5);
  }

  @Test
  void theCorrectPasswordIsDeniedUntilTheWindowHasPassed() throws Exception {
    for (int i = 1; i <= 5; i++) {
      assertThat(customer.logIn("ann", "guess" + i)).matches(r -> leadsTo(r, "/login?error"));
    }

    assertThat(customer.logIn("ann", "sesame").statusCode()).isEqualTo(429);
    assertThat(customer.logIn("Ann", "sesame").statusCode()).as("same name").isEqualTo(429);
    assertThat(customer.orders("Authorization", ANN).statusCode()).as("by Basic").isEqualTo(429);
    assertThat(customer.logIn("ann", "sesame", ELSEWHERE))
        .as("same name, other address")
        .matches(r -> leadsTo(r, "/api/orders"));
    assertThat(customer.logIn("bob", "guess"))
        .as("other name, same address")
        .matches(r -> leadsTo(r, "/login?error"));
    assertThat(customer.search().statusCode()).as("no login").isEqualTo(200);

    clock.advance(Duration.ofMinutes(15).minusMillis(1));
    assertThat(customer.logIn("ann", "sesame").statusCode()).isEqualTo(429);
    clock.advance(Duration.ofMillis(1));
    assertThat(customer.logIn("ann", "sesame")).matches(r -> leadsTo(r, "/api/orders"));
  }

  @Test
  void oneAddressCanTryFiftyNames() throws Exception {
    List<HttpResponse<String>> responses =
        BruteForce.run(80, guess -> customer.logIn("user" + guess, "sesame"));

    assertThat(BruteForce.wrongPasswords(responses)).hasSize(50);
    List<HttpResponse<String>> denied = BruteForce.denied(responses);
    assertThat(denied).hasSize(30);
    assertThat(denied)
        .allMatch(r -> r.body().contains("\"violated-policies\":[\"login-address\"]"));
    assertThat(customer.logIn("ann", "sesame").statusCode()).as("also right ones").isEqualTo(429);
    assertThat(customer.logIn("ann", "sesame", ELSEWHERE)).matches(r -> leadsTo(r, "/api/orders"));
  }

  @Test
  void guessesByBasicAndByFormShareALimit() throws Exception {
    List<HttpResponse<String>> responses =
        BruteForce.run(
            100,
            guess ->
                guess % 2 == 0
                    ? customer.orders("Authorization", Customer.basic("ann", "guess" + guess))
                    : customer.logIn("ann", "guess" + guess));

    assertThat(BruteForce.wrongPasswords(responses)).hasSize(5);
    assertThat(BruteForce.denied(responses)).hasSize(95);
    assertThat(used("login", ANN_HERE)).isEqualTo(5);
  }

  /** Credentials are checked on every path, also where they are not needed. */
  @Test
  void guessesByBasicAreLimitedOnPublicPages() throws Exception {
    String guess = Customer.basic("ann", "guess");
    for (int i = 1; i <= 5; i++) {
      assertThat(customer.search("Authorization", guess).statusCode()).isEqualTo(401);
    }

    assertThat(customer.search("Authorization", guess).statusCode()).isEqualTo(429);
  }

  @Test
  void eachCustomerMayReadOrdersTwentyTimesAMinuteFromAllAddresses() throws Exception {
    for (int i = 1; i <= 20; i++) {
      HttpResponse<String> orders = customer.orders("Authorization", ANN);
      assertThat(orders.statusCode()).isEqualTo(200);
      assertThat(orders.body()).isEqualTo("{\"ann\":[\"tea pot\"]}");
    }

    HttpResponse<String> denied = customer.orders("Authorization", ANN, ELSEWHERE[0], ELSEWHERE[1]);
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.body()).contains("\"violated-policies\":[\"orders\"]");
    assertThat(used("orders", "user:ann")).isEqualTo(20);
    assertThat(used("login", ANN_HERE)).isZero();
  }

  @Test
  void ordersNeedALoginAndItsSessionIsEnough() throws Exception {
    HttpResponse<String> refused = customer.orders();
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.headers().firstValue("WWW-Authenticate").orElseThrow()).startsWith("Basic");
    assertThat(customer.orders("Accept", "text/html"))
        .as("a browser")
        .matches(r -> leadsTo(r, "/login"));

    String session = cookie(customer.logIn("ann", "sesame"));
    assertThat(customer.orders("Cookie", session).statusCode()).isEqualTo(200);
    assertThat(customer.logOut("Cookie", session).statusCode()).as("no token").isEqualTo(403);
    assertThat(used("orders", "user:ann")).isEqualTo(1);
  }

  private static String cookie(HttpResponse<String> response) {
    return response.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
  }

  private long used(String policy, String key) {
    return application.getBean(LimiterRegistry.class).get(policy).peek(key).used();
  }
}
