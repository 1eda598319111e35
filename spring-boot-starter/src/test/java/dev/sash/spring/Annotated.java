package dev.sash.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Handlers with annotations; the policies are handler, keyed and service. */
@RestController
@Import(Annotated.Mailer.class)
class Annotated {
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

  /** Not a handler: all callers share the limit. */
  @Service
  static class Mailer {
    @RateLimit("service")
    String send() {
      return "sent";
    }
  }
}
