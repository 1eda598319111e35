package dev.sash.benchmarks.gateway;

import java.io.IOException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/**
 * A gateway with one route. The profile tells what limits its requests: {@code none}, {@code sash},
 * {@code sash-filter} or {@code redis-rate-limiter}.
 */
@SpringBootApplication
public class Gateway {
  /** For Spring. */
  public Gateway() {}

  /** Prints its port, and ends with its standard input: it never outlives the load generator. */
  public static void main(String[] args) throws IOException {
    try (var context = SpringApplication.run(Gateway.class, args)) {
      if (context instanceof WebServerApplicationContext web && web.getWebServer() != null) {
        System.out.println("listening on " + web.getWebServer().getPort());
      }
      while (System.in.read() >= 0) {
        // Nothing is said to it but the end.
      }
    }
  }

  @Bean
  KeyResolver apiKeys() {
    return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Api-Key"));
  }
}
