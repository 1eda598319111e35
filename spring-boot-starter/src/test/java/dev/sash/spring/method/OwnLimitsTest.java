package dev.sash.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sash.LimiterRegistry;
import dev.sash.spring.RateLimit;
import dev.sash.spring.RateLimitExceededException;
import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashMethodAutoConfiguration;
import dev.sash.spring.config.BadConfigurationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Annotations with limits, conditions and fallbacks of their own. */
class OwnLimitsTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(SashAutoConfiguration.class, SashMethodAutoConfiguration.class))
          .withPropertyValues("sash.policies.one.limits=1/1h");

  @AfterEach
  void logOut() {
    SecurityContextHolder.clearContext();
  }

  static class Invitations {
    final AtomicInteger calls = new AtomicInteger();

    @RateLimit(
        limits = {"2/1h", "3/1d sliding-counter"},
        key = "#user")
    int invite(String user) {
      return calls.incrementAndGet();
    }

    @RateLimit(limits = "1/1h", key = "#user", when = "#user != 'root' and !hasRole('ADMIN')")
    int conditional(String user) {
      return calls.incrementAndGet();
    }

    @RateLimit(value = "one", key = "'sync'", fallbackMethod = "later")
    String sync(String user) {
      return "done " + user;
    }

    @SuppressWarnings("unused")
    private String later(String user, RateLimitExceededException denial) {
      return "later " + user + " " + denial.policy();
    }

    @RateLimit(value = "one", key = "'future'", fallbackMethod = "otherFuture")
    CompletableFuture<String> future(String user) {
      return CompletableFuture.completedFuture("done " + user);
    }

    @SuppressWarnings("unused")
    CompletableFuture<String> otherFuture(String user) {
      return CompletableFuture.completedFuture("later " + user);
    }

    @RateLimit(value = "one", key = "'mono'", fallbackMethod = "otherMono")
    Mono<String> mono(String user) {
      return Mono.just("done " + user);
    }

    @SuppressWarnings("unused")
    Mono<String> otherMono(String user) {
      return Mono.just("later " + user);
    }

    @RateLimit(value = "one", key = "'flux'", fallbackMethod = "otherFlux")
    Flux<String> flux(String user) {
      return Flux.just("done", user);
    }

    @SuppressWarnings("unused")
    Flux<String> otherFlux(String user) {
      return Flux.just("later", user);
    }

    @RateLimit(value = "one", key = "'thrown'", fallbackMethod = "refuse")
    String thrown(String user) {
      return "done " + user;
    }

    @SuppressWarnings("unused")
    String refuse(String user) {
      throw new IllegalStateException("refused " + user);
    }
  }

  @Test
  void limitsInTheAnnotationAreAPolicyNamedAfterTheMethod() {
    runner
        .withBean(Invitations.class)
        .run(
            context -> {
              Invitations bean = context.getBean(Invitations.class);
              assertThat(bean.invite("ann")).isEqualTo(1);
              assertThat(bean.invite("ann")).isEqualTo(2);
              assertThatExceptionOfType(RateLimitExceededException.class)
                  .isThrownBy(() -> bean.invite("ann"))
                  .satisfies(e -> assertThat(e.policy()).isEqualTo("Invitations.invite"))
                  .satisfies(e -> assertThat(e.limits()).hasSize(2));
              assertThat(bean.invite("bob")).isEqualTo(3);
              assertThat(context.getBean(LimiterRegistry.class).names())
                  .contains("one", "Invitations.invite", "Invitations.conditional");
            });
  }

  @Test
  void aCallIsLimitedOnlyWhenTheConditionHolds() {
    runner
        .withBean(Invitations.class)
        .run(
            context -> {
              Invitations bean = context.getBean(Invitations.class);
              bean.conditional("root");
              bean.conditional("root");
              bean.conditional("ann");
              assertThatExceptionOfType(RateLimitExceededException.class)
                  .isThrownBy(() -> bean.conditional("ann"));
              SecurityContextHolder.getContext()
                  .setAuthentication(new TestingAuthenticationToken("ann", "", "ROLE_ADMIN"));
              bean.conditional("ann");
              SecurityContextHolder.getContext()
                  .setAuthentication(new TestingAuthenticationToken("ann", "", "ROLE_USER"));
              assertThatExceptionOfType(RateLimitExceededException.class)
                  .isThrownBy(() -> bean.conditional("ann"));
            });
  }

  @Test
  void theFallbackMethodIsCalledInstead() {
    runner
        .withBean(Invitations.class)
        .run(
            context -> {
              Invitations bean = context.getBean(Invitations.class);
              assertThat(bean.sync("ann")).isEqualTo("done ann");
              assertThat(bean.sync("bob")).isEqualTo("later bob one");
              assertThat(bean.future("ann").join()).isEqualTo("done ann");
              assertThat(bean.future("bob").join()).isEqualTo("later bob");
              assertThat(bean.mono("ann").block()).isEqualTo("done ann");
              assertThat(bean.mono("bob").block()).isEqualTo("later bob");
              assertThat(bean.flux("ann").collectList().block()).containsExactly("done", "ann");
              assertThat(bean.flux("bob").collectList().block()).containsExactly("later", "bob");
              assertThat(bean.thrown("ann")).isEqualTo("done ann");
              assertThatExceptionOfType(IllegalStateException.class)
                  .isThrownBy(() -> bean.thrown("bob"))
                  .withMessage("refused bob");
            });
  }

  static class Both {
    @RateLimit(value = "one", limits = "1/1h")
    void call() {}
  }

  static class Neither {
    @RateLimit(key = "'k'")
    void call() {}
  }

  static class Unreadable {
    @RateLimit(limits = "often")
    void call() {}
  }

  static class NoFallback {
    @RateLimit(value = "one", fallbackMethod = "other")
    String call(String user) {
      return user;
    }

    String other(int user) {
      return "" + user;
    }
  }

  static class Overloaded {
    @RateLimit(limits = "1/1h")
    void call() {}

    @RateLimit(limits = "2/1h")
    void call(String other) {}
  }

  @Test
  void mistakesEndTheStart() {
    assertFails(Both.class, "call: it names a policy and has limits: keep one of them");
    assertFails(Neither.class, "call: it must name a policy or have limits");
    assertFails(Unreadable.class, "call: limits cannot be used: ");
    assertFails(
        NoFallback.class,
        "call: fallbackMethod must be a method of NoFallback with the same parameters");
    assertFails(
        Overloaded.class,
        "call: there is another policy 'Overloaded.call', which is the name of its limits");
  }

  private void assertFails(Class<?> bean, String message) {
    runner
        .withBean(bean)
        .run(
            context ->
                assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                    .isInstanceOf(BadConfigurationException.class)
                    .hasMessageStartingWith(
                        "@RateLimit on " + bean.getSimpleName() + "." + message));
  }
}
