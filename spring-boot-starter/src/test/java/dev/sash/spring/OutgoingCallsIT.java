package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.LimiterRegistry;
import dev.sash.client.OutgoingLimitException;
import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashClientAutoConfiguration;
import dev.sash.spring.client.OutgoingLimitFilter;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.client.HttpStatusCodeException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/** Spring's clients call an application that is limited by this starter. */
@Timeout(120)
class OutgoingCallsIT {
  private static final int CALLS = 7;

  private static TestApp service;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withBean(TestApp.NettyAtOnce.class)
          .withConfiguration(
              AutoConfigurations.of(
                  HttpClientAutoConfiguration.class,
                  ReactiveHttpClientAutoConfiguration.class,
                  RestClientAutoConfiguration.class,
                  RestTemplateAutoConfiguration.class,
                  WebClientAutoConfiguration.class,
                  SashAutoConfiguration.class,
                  SashClientAutoConfiguration.class));

  /** With a clock that runs. */
  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Shop.Plain.class)
  static class Service {}

  /** What an application has from Spring Boot; each returns the status of a response. */
  enum Client {
    REST_CLIENT {
      @Override
      Function<URI, Integer> of(ApplicationContext context) {
        RestClient client = context.getBean(RestClient.Builder.class).build();
        return uri -> client.get().uri(uri).retrieve().toBodilessEntity().getStatusCode().value();
      }
    },
    REST_TEMPLATE {
      @Override
      Function<URI, Integer> of(ApplicationContext context) {
        RestTemplate client = context.getBean(RestTemplateBuilder.class).build();
        return uri -> client.getForEntity(uri, String.class).getStatusCode().value();
      }
    },
    WEB_CLIENT {
      @Override
      Function<URI, Integer> of(ApplicationContext context) {
        WebClient client = context.getBean(WebClient.Builder.class).build();
        return uri ->
            client.get().uri(uri).retrieve().toBodilessEntity().block().getStatusCode().value();
      }
    };

    abstract Function<URI, Integer> of(ApplicationContext context);

    /** Returns the status, whatever it is. */
    int call(ApplicationContext context, URI uri) {
      try {
        return of(context).apply(uri);
      } catch (HttpStatusCodeException e) {
        return e.getStatusCode().value();
      } catch (WebClientResponseException e) {
        return e.getStatusCode().value();
      }
    }
  }

  @BeforeAll
  static void start() {
    service =
        TestApp.servlet(Service.class)
            .with(
                "sash.policies.api.limits=3/1s",
                "sash.policies.api.paths=/api/items/**",
                "sash.policies.api.key=path",
                "sash.policies.silent.limits=1/1h",
                "sash.policies.silent.paths=/api/hello",
                "sash.policies.silent.key=query:day")
            .start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @ParameterizedTest
  @EnumSource(Client.class)
  void withoutALimitTheServiceDenies(Client client) {
    runner.run(
        context ->
            assertThat(statuses(client, context, "/api/items/plain-" + client))
                .containsOnly(200, 429));
  }

  /** The third response of three says that nothing is left, and until when. */
  @ParameterizedTest
  @EnumSource(Client.class)
  void aLimitedClientWaitsUntilTheServiceAdmitsItsCalls(Client client) {
    runner
        .withPropertyValues("sash.client.enabled=true", "sash.client.max-wait=10s")
        .run(
            context -> {
              long start = System.nanoTime();
              assertThat(statuses(client, context, "/api/items/limited-" + client))
                  .containsOnly(200);
              assertThat(Duration.ofNanos(System.nanoTime() - start))
                  .isGreaterThan(Duration.ofSeconds(2));
            });
  }

  @ParameterizedTest
  @EnumSource(Client.class)
  void aLimitOfItsOwnHoldsBackTheCallsOfAClient(Client client) {
    runner
        .withPropertyValues(
            "sash.client.enabled=true",
            "sash.client.policy=ours",
            "sash.client.max-wait=0s",
            "sash.policies.ours.limits=2/1h")
        .run(
            context -> {
              Function<URI, Integer> call = client.of(context);
              int handled = service.bean(Shop.Plain.class).handled.get();
              assertThat(call.apply(service.uri("/"))).isEqualTo(200);
              assertThat(call.apply(service.uri("/"))).isEqualTo(200);
              assertThatThrownBy(() -> call.apply(service.uri("/")))
                  .isInstanceOf(
                      client == Client.WEB_CLIENT
                          ? RuntimeException.class
                          : ResourceAccessException.class)
                  .cause()
                  .isInstanceOfSatisfying(
                      OutgoingLimitException.class,
                      e -> assertThat(e.reason()).isEqualTo(OutgoingLimitException.Reason.LIMIT));
              assertThat(service.bean(Shop.Plain.class).handled.get()).isEqualTo(handled + 2);
            });
  }

  /** What a service says is bounded by the caller. */
  @ParameterizedTest
  @EnumSource(Client.class)
  void aDenialIsPassedOnAndHoldsBackTheNextCallNoLongerThanTheBound(Client client) {
    runner
        .withPropertyValues(
            "sash.client.enabled=true", "sash.client.max-wait=10s", "sash.client.max-pause=300ms")
        .run(
            context -> {
              URI uri = service.uri("/api/hello?day=" + client);
              assertThat(client.call(context, uri)).isEqualTo(200);
              long start = System.nanoTime();
              assertThat(client.call(context, uri)).isEqualTo(429);
              assertThat(client.call(context, uri)).isEqualTo(429);
              assertThat(Duration.ofNanos(System.nanoTime() - start))
                  .isBetween(Duration.ofMillis(300), Duration.ofSeconds(10));
            });
  }

  @Test
  void noThreadWaitsInAWebClientAndACancelledSubscriptionSpendsNothing() {
    runner
        .withPropertyValues(
            "sash.client.enabled=true",
            "sash.client.policy=ours",
            "sash.client.max-wait=60s",
            "sash.policies.ours.limits=1/2s")
        .run(
            context -> {
              int handled = service.bean(Shop.Plain.class).handled.get();
              WebClient client = context.getBean(WebClient.Builder.class).build();
              assertThat(Client.WEB_CLIENT.call(context, service.uri("/"))).isEqualTo(200);
              List<Disposable> waiting = new ArrayList<>();
              for (int i = 0; i < 50; i++) {
                var call = client.get().uri(service.uri("/")).retrieve().toBodilessEntity();
                waiting.add(call.subscribeOn(Schedulers.single()).subscribe());
              }
              // That thread has got through all of them, although they wait for minutes.
              CompletableFuture<Void> reached = new CompletableFuture<>();
              var unused = Schedulers.single().schedule(() -> reached.complete(null));
              reached.get(10, TimeUnit.SECONDS);
              waiting.forEach(Disposable::dispose);

              TimeUnit.MILLISECONDS.sleep(2_500); // a permit is free again
              assertThat(used(context)).isZero();
              assertThat(service.bean(Shop.Plain.class).handled.get()).isEqualTo(handled + 1);
            });
  }

  private static long used(AssertableApplicationContext context) {
    String origin = service.uri("").toString();
    return context.getBean(LimiterRegistry.class).get("ours").peek(origin).used();
  }

  @Test
  void anInterruptedThreadMakesNoCallAndStaysInterrupted() {
    runner
        .withPropertyValues("sash.client.enabled=true")
        .run(
            context -> {
              Function<URI, Integer> call = Client.REST_CLIENT.of(context);
              Thread.currentThread().interrupt();
              assertThatThrownBy(() -> call.apply(service.uri("/")))
                  .hasCauseInstanceOf(InterruptedIOException.class);
              assertThat(Thread.interrupted()).isTrue();
            });
  }

  @Test
  void theFilterCanBeAddedToOneClientAlone() {
    runner
        .withPropertyValues(
            "sash.client.policy=ours", "sash.client.max-wait=0s", "sash.policies.ours.limits=1/1h")
        .run(
            context -> {
              OutgoingLimitFilter filter = context.getBean(OutgoingLimitFilter.class);
              WebClient limited =
                  context.getBean(WebClient.Builder.class).clone().filter(filter).build();
              for (int i = 0; i < 3; i++) {
                assertThat(Client.WEB_CLIENT.call(context, service.uri("/"))).isEqualTo(200);
              }
              var call = limited.get().uri(service.uri("/")).retrieve().toBodilessEntity();
              assertThat(call.block().getStatusCode().value()).isEqualTo(200);
              assertThatThrownBy(call::block).hasCauseInstanceOf(OutgoingLimitException.class);
            });
  }

  private static List<Integer> statuses(Client client, ApplicationContext context, String path) {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      statuses.add(client.call(context, service.uri(path)));
    }
    return statuses;
  }
}
