package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.Filter;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Requests whose decisions come later. */
@Timeout(60)
class LateRequestsIT {
  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @RestController
  static class Application {
    @Bean
    LateStore store() {
      return new LateStore();
    }

    @GetMapping("/thread")
    String thread() {
      return Thread.currentThread().getName();
    }
  }

  /** Spring Boot maps it to ordinary requests only. */
  @Configuration(proxyBeanMethods = false)
  static class PlainFilter {
    final AtomicInteger seen = new AtomicInteger();

    @Bean
    Filter plain() {
      return (request, response, chain) -> {
        seen.incrementAndGet();
        chain.doFilter(request, response);
      };
    }
  }

  private static TestApp start(TestApp.Builder builder) {
    return builder
        .with(
            "sash.policies.all.limits=2/1h",
            "sash.policies.all.paths=/**",
            "server.tomcat.threads.max=1")
        .start();
  }

  private static void awaitPending(LateStore store, int count) throws InterruptedException {
    while (store.pending() < count) {
      Thread.sleep(10);
    }
  }

  @Test
  void noThreadWaitsAndTheStoresThreadsAreNotKept() throws Exception {
    for (TestApp.Builder builder :
        new TestApp.Builder[] {
          TestApp.servlet(Application.class), TestApp.reactive(Application.class)
        }) {
      try (TestApp app = start(builder)) {
        LateStore store = app.bean(LateStore.class);
        CompletableFuture<HttpResponse<String>> first = app.getLater("/thread");
        CompletableFuture<HttpResponse<String>> second = app.getLater("/thread");
        CompletableFuture<HttpResponse<String>> third = app.getLater("/thread");
        awaitPending(store, 3); // Tomcat has a single thread

        for (int i = 0; i < 3; i++) {
          store.decide();
        }
        int admitted = 0;
        for (var response : new CompletableFuture<?>[] {first, second, third}) {
          HttpResponse<?> answer = (HttpResponse<?>) response.join();
          admitted += answer.statusCode() == 200 ? 1 : 0;
          assertThat(answer.body()).isNotEqualTo("store");
        }
        assertThat(admitted).isEqualTo(2);
      }
    }
  }

  @Test
  void aThreadWaitsRatherThanPassAFilterBy() throws Exception {
    try (TestApp app = start(TestApp.servlet(Application.class, PlainFilter.class))) {
      LateStore store = app.bean(LateStore.class);
      CompletableFuture<HttpResponse<String>> first = app.getLater("/thread");
      awaitPending(store, 1);
      store.decide();

      assertThat(first.join().statusCode()).isEqualTo(200);
      assertThat(app.bean(PlainFilter.class).seen).hasValue(1);
    }
  }
}
