package dev.sash.spring;

import dev.sash.LimiterRegistry;
import dev.sash.http.HttpRule;
import dev.sash.http.KeyExtractor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Keys and rules that are not in properties. */
@Configuration(proxyBeanMethods = false)
class OwnKeys {
  @Bean
  KeyExtractor tenants() {
    return KeyExtractor.by("tenant", request -> request.header("X-Tenant"));
  }

  @Bean
  HttpLimiterCustomizer root(LimiterRegistry limiters) {
    return builder ->
        builder.rule(HttpRule.forPaths("/").charge(limiters.get("root"), KeyExtractor.everybody()));
  }
}
