package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.http.KeyExtractor;
import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashMethodAutoConfiguration;
import dev.sash.spring.autoconfigure.SashRedisAutoConfiguration;
import dev.sash.spring.autoconfigure.SashWebAutoConfiguration;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.grpc.SashGrpcAutoConfiguration;
import io.grpc.BindableService;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.grpc.server.GlobalServerInterceptor;

/** From properties to what limits gRPC calls, without a server. */
@ExtendWith(OutputCaptureExtension.class)
class GrpcConfigurationTest {
  private static final String LIMITED = "sash.policies.p.limits=9/1s";

  private final WebApplicationContextRunner empty =
      new WebApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SashRedisAutoConfiguration.class,
                  SashAutoConfiguration.class,
                  SashMethodAutoConfiguration.class,
                  SashGrpcAutoConfiguration.class,
                  SashWebAutoConfiguration.class))
          .withPropertyValues(LIMITED);

  private final WebApplicationContextRunner runner =
      empty
          .withUserConfiguration(Service.class)
          .withBean("http", KeyExtractor.class, KeyExtractor::path);

  @Configuration(proxyBeanMethods = false)
  static class Service {
    @Bean
    BindableService search() {
      return () -> ServerServiceDefinition.builder("shop.Search").build();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          grpc-methods=shop.Orders                          | grpc-methods       | method must be a full name such as shop.Orders/Export, a service such as shop.Search/* or *, was 'shop.Orders'
          grpc-methods=/shop.Orders/**                      | grpc-methods       | was '/shop.Orders/**'
          grpc-methods=*;cost=0                             | cost               | must be 1 or more, was 0
          grpc-methods=*;cost=10                            | cost               | must be at most 9
          grpc-methods=*;key=cookie:session                 | key                | key must not contain 'cookie:' with grpc-methods: a gRPC call has none; it must be made of ip, user,
          grpc-methods=*;key=ip + query:page                | key                | must not contain 'query:'
          grpc-methods=*;key=path                           | key                | must not contain 'path'
          grpc-methods=*;key=route                          | key                | must not contain 'route'
          grpc-methods=*;key=login                          | key                | must not contain 'login'
          grpc-methods=*;key=ip:24/48                       | key                | must not contain 'ip:24/48'
          grpc-methods=*;key=header                         | key                | cannot read 'header'
          grpc-methods=*;key=header:x-bin                   | key                | -bin
          grpc-methods=*;key=ip +                           | key                | cannot read ''
          grpc-methods=*;key=bean:none                      | key                | beans that are CallKeys: [], was 'bean:none'
          grpc-methods=*;key=bean:http                      | key                | was 'bean:http'
          grpc-methods=*;key=user;place=before-security     | key                | before Spring Security, where nobody is authenticated yet
          grpc-methods=*;charge-only-status=401             | charge-only-status | cannot be combined with grpc-methods
          grpc-methods=*;charge-only-failed-logins=true     | charge-only-failed-logins | cannot be combined with grpc-methods
          grpc-methods=*;paths=/**;cost-header=X-Cost       | cost-header        | cannot be combined with grpc-methods
          grpc-methods=*;methods=GET                        | methods            | needs sash.policies.p.paths
          grpc-methods=*;paths=/**;key=cookie:session       | key                | must not contain 'cookie:'
          """)
  void whatCannotWorkEndsTheStartWithTheReason(String properties, String property, String reason) {
    String[] values =
        Arrays.stream(properties.split(";", -1))
            .map(value -> "sash.policies.p." + value)
            .toArray(String[]::new);
    runner
        .withPropertyValues(values)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOf(BadConfigurationException.class)
                    .hasMessageStartingWith("sash.policies.p." + property + ": ")
                    .hasMessageContaining(reason));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key=user | ip",
        "key=hashed:user",
        "key=ip;place=after-security",
        "key=header:x-tenant + method | apikey:x-api-key | all",
        "cost=9",
        "continue=false",
        "mode=shadow",
        "skip-without-key=true",
        "paths=/**"
      })
  void whatCanWorkIsAccepted(String properties) {
    String[] values =
        Arrays.stream(("grpc-methods=*;" + properties).split(";", -1))
            .map(value -> "sash.policies.p." + value)
            .toArray(String[]::new);
    runner.withPropertyValues(values).run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void aKeyWithTheUserNeedsSpringSecurity() {
    runner
        .withClassLoader(new FilteredClassLoader("org.springframework.security"))
        .withPropertyValues("sash.policies.p.grpc-methods=*", "sash.policies.p.key=user | ip")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageStartingWith(
                        "sash.policies.p.key: key must not contain 'user' with grpc-methods unless"
                            + " Spring Security is on the class path"));
  }

  @Test
  void withoutSpringSecurityOtherKeysAreFound() {
    runner
        .withClassLoader(new FilteredClassLoader("org.springframework.security"))
        .withPropertyValues("sash.policies.p.grpc-methods=*")
        .run(context -> assertThat(interceptors(context)).isEqualTo(2));
  }

  private static long interceptors(BeanFactory context) {
    return context.getBeanProvider(ServerInterceptor.class).stream().count();
  }

  @Test
  void interceptorsAreGlobal() {
    runner
        .withPropertyValues("sash.policies.p.grpc-methods=*")
        .run(
            context ->
                assertThat(context.getBeanNamesForAnnotation(GlobalServerInterceptor.class))
                    .containsExactlyInAnyOrder("sashGrpcInterceptor", "sashGrpcUserInterceptor"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"io.grpc", "org.springframework.grpc", "dev.sash.grpc"})
  void withoutGrpcOnTheClassPathAnApplicationStartsAndIsWarned(
      String missing, CapturedOutput output) {
    (missing.equals("io.grpc") ? empty : runner)
        .withClassLoader(new FilteredClassLoader(missing))
        .withPropertyValues("sash.policies.p.grpc-methods=*", "sash.policies.q.limits=1/s")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context).doesNotHaveBean("sashGrpcLimits");
              assertThat(output)
                  .contains(
                      "Policy 'p' limits no gRPC call: sash.policies.p.grpc-methods is set, but"
                          + " this application has no gRPC service");
            });
  }

  @Test
  void anApplicationWithoutServicesIsWarned(CapturedOutput output) {
    empty
        .withPropertyValues("sash.policies.p.grpc-methods=*")
        .run(context -> assertThat(output).contains("Policy 'p' limits no gRPC call"));
    int warned = output.getAll().length();
    runner
        .withPropertyValues("sash.policies.p.grpc-methods=*")
        .run(context -> assertThat(output.getAll().substring(warned)).doesNotContain("Policy 'p'"));
  }

  @Test
  void nothingIsThereIfThatIsConfigured() {
    runner
        .withPropertyValues("sash.policies.p.grpc-methods=*", "sash.enabled=false")
        .run(context -> assertThat(interceptors(context)).isZero());
  }
}
