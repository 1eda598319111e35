package dev.sash.spring;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

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
}
