package dev.sash.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
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

  private ConfigurableApplicationContext application;
  private Customer customer;

  @BeforeEach
  void start() {
    application =
        new SpringApplication(Shop.class, Arrivals.class)
            .run("--server.port=0", "--sash.store=memory");
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
    assertThat(denied.headers().firstValueAsLong("Retry-After").orElseThrow()).isBetween(1L, 60L);
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
  void onlyWrongPasswordsAreCharged() throws Exception {
    for (int i = 1; i <= 10; i++) {
      assertThat(customer.logIn("sesame").statusCode()).isEqualTo(200);
    }
    for (int i = 1; i <= 5; i++) {
      assertThat(customer.logIn("guess " + i).statusCode()).isEqualTo(401);
    }

    HttpResponse<String> denied = customer.logIn("sesame");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().firstValue("RateLimit-Policy")).hasValue("\"login\";q=5;w=900");
  }
}
