package dev.sash.spring;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/** A gateway whose clients say who they are. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class GatewayApplication {
  @Bean
  KeyResolver userKeyResolver() {
    return exchange ->
        Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"))
            .defaultIfEmpty("ann");
  }
}
