package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.memory.InMemoryStore;
import dev.sash.store.Store;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** A slice in which {@code sash.enabled} is false, of an application that uses Redis. */
@WebMvcTest(
    properties = {
      "sash.enabled=false",
      "sash.store=redis",
      "sash.policies.api.limits=1/1m",
      "sash.policies.api.paths=/api/**",
      "sash.policies.reports.limits=1/1m"
    })
@ContextConfiguration(classes = SlicedApp.class)
class DisabledSliceTest {
  @Autowired private MockMvcTester mvc;
  @Autowired private Store store;

  @Test
  void aSliceNeedsNoRedis() {
    assertThat(store).isInstanceOf(InMemoryStore.class);
  }

  @Test
  void everyRequestIsServedAndCarriesNoFields() {
    for (int i = 0; i < 3; i++) {
      for (String path : new String[] {"/api/hello", "/reports"}) {
        assertThat(mvc.get().uri(path)).hasStatus(200).doesNotContainHeader("RateLimit");
      }
    }
  }
}
