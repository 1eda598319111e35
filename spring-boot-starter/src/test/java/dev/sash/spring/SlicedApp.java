package dev.sash.spring;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The application of which slices are tested. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(SlicedApp.Pages.class)
class SlicedApp {
  /** One handler that is limited by its path, and one by an annotation. */
  @RestController
  static class Pages {
    @GetMapping("/api/hello")
    String hello() {
      return "hello";
    }

    @RateLimit("reports")
    @GetMapping("/reports")
    String report() {
      return "report";
    }
  }
}
