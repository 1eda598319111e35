package dev.sash.spring.grpc;

import dev.sash.LimiterRegistry;
import dev.sash.grpc.CallKey;
import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.NamedBeans;
import io.grpc.BindableService;
import io.grpc.ServerInterceptor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.grpc.server.GlobalServerInterceptor;
import org.springframework.grpc.server.exception.GrpcExceptionHandlerInterceptor;
import org.springframework.grpc.server.security.GrpcSecurity;
import org.springframework.security.config.annotation.AbstractConfiguredSecurityBuilder;
import org.springframework.security.core.context.SecurityContextHolder;

/** Limits the calls of a gRPC server that Spring runs. */
@AutoConfiguration(after = SashAutoConfiguration.class)
@ConditionalOnClass({GlobalServerInterceptor.class, BindableService.class, CallKey.class})
@ConditionalOnBean(BindableService.class)
@ConditionalOnBooleanProperty(name = "sash.enabled", matchIfMissing = true)
public final class SashGrpcAutoConfiguration {
  private static final String BEHIND_SECURITY = "sashGrpcUserInterceptor";

  /** For Spring. */
  public SashGrpcAutoConfiguration() {}

  @Bean
  GrpcLimits sashGrpcLimits(
      ConfiguredPolicies policies,
      LimiterRegistry limiters,
      ObjectProvider<Callers> callers,
      ListableBeanFactory beans) {
    return new GrpcLimits(
        policies,
        limiters,
        callers.getIfAvailable(),
        name -> NamedBeans.find(beans, name, CallKey.class));
  }

  @Bean
  @GlobalServerInterceptor
  GrpcLimitInterceptor sashGrpcInterceptor(
      GrpcLimits limits,
      ObjectProvider<Callers> callers,
      ObjectProvider<GrpcExceptionHandlerInterceptor> exceptions) {
    return new GrpcLimitInterceptor(
        limits.beforeSecurity(),
        GrpcLimitInterceptor.BEFORE_SECURITY,
        callers.getIfAvailable(),
        exceptions.getIfUnique());
  }

  @Bean(BEHIND_SECURITY)
  @GlobalServerInterceptor
  GrpcLimitInterceptor sashGrpcUserInterceptor(
      GrpcLimits limits,
      ObjectProvider<Callers> callers,
      ObjectProvider<GrpcExceptionHandlerInterceptor> exceptions) {
    return new GrpcLimitInterceptor(
        limits.behindSecurity(),
        GrpcLimitInterceptor.BEHIND_SECURITY,
        callers.getIfAvailable(),
        exceptions.getIfUnique());
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({
    GrpcSecurity.class,
    AbstractConfiguredSecurityBuilder.class,
    SecurityContextHolder.class
  })
  static class Security {
    @Bean
    CallUsers sashGrpcUsers(ObjectProvider<ServerInterceptor> interceptors) {
      return new CallUsers(interceptors);
    }

    /** When all interceptors are there, and before the server starts. */
    @Bean
    SmartInitializingSingleton sashGrpcUserCheck(
        GrpcLimits limits, @Qualifier(BEHIND_SECURITY) GrpcLimitInterceptor place) {
      return () -> limits.checkUsers(place);
    }
  }
}
