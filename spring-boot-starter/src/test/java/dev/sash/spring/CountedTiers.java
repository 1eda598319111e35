package dev.sash.spring;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A tier resolver that counts its calls; every key has the tier {@code pro}. */
@Configuration(proxyBeanMethods = false)
public class CountedTiers {
  private final AtomicInteger calls = new AtomicInteger();

  @Bean
  TierResolver tierResolver() {
    return (policy, key) -> {
      calls.incrementAndGet();
      return "pro";
    };
  }

  /** Returns the number of calls since this method was called before. */
  public int calls() {
    return calls.getAndSet(0);
  }
}
