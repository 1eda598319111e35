package dev.sash.benchmarks.application;

import java.io.IOException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;

/**
 * A small shop. The profile tells what limits its requests: {@code none}, {@code sash-memory},
 * {@code sash-redis}, {@code bucket4j-starter} or {@code bucket4j-filter}.
 */
@SpringBootApplication
public class Application {
  /** For Spring. */
  public Application() {}

  /** Prints its port, and ends with its standard input: it never outlives the load generator. */
  public static void main(String[] args) throws IOException {
    try (var context = SpringApplication.run(Application.class, args)) {
      if (context instanceof WebServerApplicationContext web && web.getWebServer() != null) {
        System.out.println("listening on " + web.getWebServer().getPort());
      }
      while (System.in.read() >= 0) {
        // Nothing is said to it but the end.
      }
    }
  }
}
