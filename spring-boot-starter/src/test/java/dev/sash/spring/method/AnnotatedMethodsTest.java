package dev.sash.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.LimiterRegistry;
import dev.sash.spring.CountedTiers;
import dev.sash.spring.RateLimit;
import dev.sash.spring.RateLimitExceededException;
import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashMethodAutoConfiguration;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls of annotated beans in an application without any web. */
class AnnotatedMethodsTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(SashAutoConfiguration.class, SashMethodAutoConfiguration.class))
          .withPropertyValues("sash.policies.one.limits=1/1h", "sash.policies.five.limits=5/1h");

  record User(String id) {}

  static class Exports {
    private final AtomicInteger calls = new AtomicInteger();

    int calls() {
      return calls.get();
    }

    @RateLimit(value = "one", key = "#user.id")
    String text(User user) {
      return "text " + calls.incrementAndGet();
    }

    @RateLimit(value = "one", key = "#a0")
    CompletionStage<String> stage(String user) {
      return CompletableFuture.completedFuture("stage " + calls.incrementAndGet());
    }

    @RateLimit(value = "one", key = "#p0")
    CompletableFuture<String> future(String user) {
      return CompletableFuture.failedFuture(new IllegalStateException("of its own"));
    }

    @RateLimit(value = "one", key = "#user")
    Mono<String> mono(String user) {
      return Mono.fromSupplier(() -> "mono " + calls.incrementAndGet());
    }

    @RateLimit(value = "one", key = "#user")
    Flux<String> flux(String user) {
      return Flux.just("flux", "flux " + calls.incrementAndGet());
    }

    @RateLimit(value = "five", permits = "#rows.size()")
    void rows(List<String> rows) {
      calls.incrementAndGet();
    }

    @RateLimit(value = "one", key = "@tenants.current() + '/' + #root.name()")
    public void byBean() {
      calls.incrementAndGet();
    }

    public String name() {
      return "exports";
    }

    void free() {
      calls.incrementAndGet();
    }
  }

  static class Tenants {
    public String current() {
      return "blue";
    }
  }

  private void run(Call test) {
    runner
        .withBean(Exports.class)
        .withBean("tenants", Tenants.class)
        .run(
            context ->
                test.with(context.getBean(Exports.class), context.getBean(LimiterRegistry.class)));
  }

  private interface Call {
    void with(Exports exports, LimiterRegistry limiters) throws Exception;
  }

  @Test
  void aCallThatDoesNotFitEndsWithAnExceptionThatKnowsTheDecisionButNotTheKey() {
    run(
        (exports, limiters) -> {
          assertThat(exports.text(new User("ann"))).isEqualTo("text 1");
          assertThat(exports.text(new User("bob"))).isEqualTo("text 2");

          assertThatThrownBy(() -> exports.text(new User("ann")))
              .isInstanceOfSatisfying(
                  RateLimitExceededException.class,
                  e -> {
                    assertThat(e.policy()).isEqualTo("one");
                    assertThat(e.decision().source()).isEqualTo(Decision.Source.STORE);
                    assertThat(e.decision().retryAfter()).isPositive();
                    assertThat(e.limits()).hasSize(1);
                    assertThat(e).hasMessageStartingWith("policy 'one': denied by 1/1h");
                    assertThat(e.toString()).doesNotContain("ann");
                  });
          assertThat(exports.calls()).isEqualTo(2);
        });
  }

  @Test
  void theTierIsResolvedOncePerCall() {
    runner
        .withPropertyValues("sash.policies.one.tiers.pro=2/1h")
        .withBean(CountedTiers.class)
        .withBean("tenants", Tenants.class)
        .withBean(Exports.class)
        .run(
            context -> {
              CountedTiers tiers = context.getBean(CountedTiers.class);
              Exports exports = context.getBean(Exports.class);
              exports.text(new User("ann"));
              assertThat(tiers.calls()).isEqualTo(1);
              exports.stage("ann").toCompletableFuture().join();
              assertThat(tiers.calls()).isEqualTo(1);
              assertThatThrownBy(() -> exports.text(new User("ann")))
                  .isInstanceOf(RateLimitExceededException.class);
              assertThat(tiers.calls()).as("denied").isEqualTo(1);
              exports.mono("bob").block();
              assertThat(tiers.calls()).isEqualTo(1);
            });
  }

  @Test
  void whatIsReturnedLaterFailsLater() {
    run(
        (exports, limiters) -> {
          assertThat(exports.stage("ann").toCompletableFuture().join()).isEqualTo("stage 1");
          CompletionStage<String> denied = exports.stage("ann");
          assertThatThrownBy(() -> denied.toCompletableFuture().join())
              .isInstanceOf(CompletionException.class)
              .hasCauseInstanceOf(RateLimitExceededException.class);
          assertThatThrownBy(() -> exports.future("bob").join()).hasRootCauseMessage("of its own");
          assertThat(exports.calls()).isEqualTo(1);
        });
  }

  @Test
  void everySubscriptionIsACall() {
    run(
        (exports, limiters) -> {
          Mono<String> mono = exports.mono("ann");
          assertThat(limiters.get("one").peek("ann").used()).as("nobody has subscribed").isZero();
          assertThat(mono.block()).isEqualTo("mono 1");
          assertThatThrownBy(mono::block).isInstanceOf(RateLimitExceededException.class);

          assertThat(exports.flux("bob").collectList().block()).containsExactly("flux", "flux 2");
          assertThatThrownBy(() -> exports.flux("bob").collectList().block())
              .isInstanceOf(RateLimitExceededException.class);
        });
  }

  @Test
  void permitsAreWhatTheExpressionSays() {
    run(
        (exports, limiters) -> {
          exports.rows(List.of("a", "b", "c"));
          assertThat(limiters.get("five").peek("all:").used()).isEqualTo(3);
          assertThatThrownBy(() -> exports.rows(List.of("a", "b", "c")))
              .isInstanceOf(RateLimitExceededException.class);
          exports.rows(List.of("a", "b"));
          assertThat(exports.calls()).isEqualTo(2);
        });
  }

  @Test
  void anExpressionMayAskBeans() {
    run(
        (exports, limiters) -> {
          exports.byBean();
          assertThat(limiters.get("one").peek("blue/exports").used()).isEqualTo(1);
        });
  }

  @Test
  void aKeyThatIsNotThereIsAnErrorAndNotAFreePass() {
    run(
        (exports, limiters) -> {
          for (String none : new String[] {null, ""}) {
            assertThatThrownBy(() -> exports.text(new User(none)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the key of @RateLimit on Exports.text must not be null or empty");
          }
          assertThat(exports.calls()).isEqualTo(0);
        });
  }

  @Test
  void whatIsNotAnnotatedIsNotLimited() {
    run(
        (exports, limiters) -> {
          exports.free();
          exports.free();
          assertThat(exports.calls()).isEqualTo(2);
        });
  }

  interface Greeter {
    @RateLimit("one")
    String greet();
  }

  static class Polite implements Greeter {
    @Override
    public String greet() {
      return "good day";
    }
  }

  @RateLimit("one")
  static class WholeClass {
    public void call() {}

    void notPublic() {}
  }

  @Retention(RetentionPolicy.RUNTIME)
  @RateLimit("five")
  @interface PerUser {
    @AliasFor(annotation = RateLimit.class)
    String key();
  }

  static class Composed {
    @PerUser(key = "#user")
    public void call(String user) {}
  }

  @Test
  void annotationsOfInterfacesAndClassesAndComposedOnesCount() {
    runner
        .withBean(Polite.class)
        .run(
            context -> {
              Greeter greeter = context.getBean(Greeter.class);
              assertThat(greeter.greet()).isEqualTo("good day");
              assertThatThrownBy(greeter::greet).isInstanceOf(RateLimitExceededException.class);
            });
    runner
        .withBean(WholeClass.class)
        .run(
            context -> {
              WholeClass bean = context.getBean(WholeClass.class);
              bean.notPublic();
              bean.call();
              bean.notPublic();
              assertThatThrownBy(bean::call).isInstanceOf(RateLimitExceededException.class);
            });
    runner
        .withBean(Composed.class)
        .run(
            context -> {
              context.getBean(Composed.class).call("ann");
              assertThat(context.getBean(LimiterRegistry.class).get("five").peek("ann").used())
                  .isEqualTo(1);
            });
  }

  @Test
  void limitsHoldWithoutAspectJAndWhereAutomaticProxiesAreOff() {
    runner
        .withBean(Polite.class)
        .withPropertyValues("spring.aop.auto=false")
        .run(context -> assertThat(AopUtils.isAopProxy(context.getBean(Greeter.class))).isTrue());
    runner
        .withBean(Polite.class)
        .withPropertyValues("sash.enabled=false")
        .run(context -> assertThat(AopUtils.isAopProxy(context.getBean(Greeter.class))).isFalse());
  }
}
