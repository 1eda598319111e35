package dev.sash.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An application for tests; the same under MVC and WebFlux. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({Shop.Plain.class, TimedStore.class})
class Shop {
  /** Without annotations of ours. */
  @RestController
  static class Plain {
    final AtomicInteger handled = new AtomicInteger();

    @GetMapping({"/api/hello", "/health", "/livez", "/"})
    String hello() {
      handled.incrementAndGet();
      return "hello";
    }

    @GetMapping("/api/items/{id}")
    String item(@PathVariable String id) {
      return id;
    }

    @PostMapping("/login")
    ResponseEntity<String> login(@RequestParam String password) {
      return ResponseEntity.status(password.equals("right") ? 200 : 401).body(password);
    }

    @GetMapping("/fail")
    String fail() {
      throw new IllegalStateException("on purpose");
    }
  }

  /** Handlers with annotations; the policies are handler, keyed and service. */
  @RestController
  @Import(Mailer.class)
  static class Annotated {
    private final Mailer mailer;

    Annotated(Mailer mailer) {
      this.mailer = mailer;
    }

    @RateLimit("handler")
    @GetMapping("/annotated/text")
    String text() {
      return "text";
    }

    @RateLimit("handler")
    @GetMapping("/annotated/later")
    CompletionStage<String> later() {
      return CompletableFuture.supplyAsync(() -> "later");
    }

    @RateLimit("handler")
    @GetMapping("/annotated/mono")
    Mono<String> mono() {
      return Mono.just("mono");
    }

    @RateLimit(value = "handler", permits = "3")
    @GetMapping("/annotated/dear")
    String dear() {
      return "dear";
    }

    @RateLimit("failures")
    @GetMapping("/annotated/status/{status}")
    ResponseEntity<String> status(@PathVariable int status) {
      return ResponseEntity.status(status).body("");
    }

    @RateLimit(value = "keyed", key = "#user")
    @GetMapping("/keyed/text")
    String keyedText(@RequestParam String user) {
      return user;
    }

    @RateLimit(value = "keyed", key = "#user")
    @GetMapping("/keyed/later")
    CompletableFuture<String> keyedLater(@RequestParam String user) {
      return CompletableFuture.supplyAsync(() -> user);
    }

    @RateLimit(value = "keyed", key = "#user")
    @GetMapping("/keyed/mono")
    Mono<String> keyedMono(@RequestParam String user) {
      return Mono.just(user);
    }

    @RateLimit(value = "keyed", key = "#user")
    @GetMapping("/keyed/flux")
    Flux<String> keyedFlux(@RequestParam String user) {
      return Flux.just(user, user);
    }

    @GetMapping("/service")
    String service() {
      return mailer.send();
    }
  }

  /** Not a handler: all callers share the limit. */
  @Service
  static class Mailer {
    @RateLimit("service")
    String send() {
      return "sent";
    }
  }
}
