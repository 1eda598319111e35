package dev.sash.spring;

import dev.sash.memory.InMemoryStore;
import dev.sash.testkit.ManualClock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A store whose time passes by hand. */
@Configuration(proxyBeanMethods = false)
class TimedStore {
  @Bean
  ManualClock clock() {
    return new ManualClock();
  }

  @Bean
  InMemoryStore store(ManualClock clock) {
    return InMemoryStore.builder().clock(clock).build();
  }
}
