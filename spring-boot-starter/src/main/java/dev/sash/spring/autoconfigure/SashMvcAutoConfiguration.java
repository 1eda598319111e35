package dev.sash.spring.autoconfigure;

import dev.sash.http.HttpLimiter;
import dev.sash.servlet.RateLimitFilter;
import dev.sash.spring.web.HandlerLimits;
import dev.sash.spring.webmvc.MvcResponses;
import dev.sash.spring.webmvc.MvcRoutes;
import dev.sash.spring.webmvc.RateLimitExceptionResolver;
import dev.sash.spring.webmvc.RateLimitHandlerInterceptor;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Limits handlers of Spring MVC, and answers what is denied behind the filter. */
@AutoConfiguration(after = SashServletAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBean({RateLimitFilter.class, HandlerLimits.class})
public final class SashMvcAutoConfiguration {
  /** For Spring. */
  public SashMvcAutoConfiguration() {}

  @Bean
  MvcRoutes sashMvcRoutes(ObjectProvider<RequestMappingHandlerMapping> mappings) {
    return new MvcRoutes(() -> mappings.orderedStream().toList());
  }

  @Bean
  MvcResponses sashMvcResponses(HttpLimiter limiter, RateLimitFilter filter) {
    return new MvcResponses(limiter, filter);
  }

  @Bean
  @ConditionalOnMissingBean
  RateLimitExceptionResolver sashRateLimitExceptionResolver(MvcResponses responses) {
    return new RateLimitExceptionResolver(responses);
  }

  @Bean
  WebMvcConfigurer sashHandlerInterceptors(
      HandlerLimits limits,
      RateLimitFilter filter,
      MvcResponses responses,
      RateLimitExceptionResolver resolver) {
    RateLimitHandlerInterceptor interceptor =
        new RateLimitHandlerInterceptor(limits, filter, responses);
    return new WebMvcConfigurer() {
      @Override
      public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(interceptor);
      }

      /** After the application's own handlers, before Spring's, which knows no body. */
      @Override
      public void extendHandlerExceptionResolvers(List<HandlerExceptionResolver> resolvers) {
        int place = 0;
        for (int i = 0; i < resolvers.size(); i++) {
          if (resolvers.get(i) instanceof ExceptionHandlerExceptionResolver) {
            place = i + 1;
          }
        }
        resolvers.add(place, resolver);
      }
    };
  }
}
