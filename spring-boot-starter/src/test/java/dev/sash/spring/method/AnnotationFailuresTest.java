package dev.sash.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.spring.RateLimit;
import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashMethodAutoConfiguration;
import dev.sash.spring.autoconfigure.SashWebAutoConfiguration;
import dev.sash.spring.config.BadConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.PriorityOrdered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An annotation that would do nothing, or something else than it says, ends the start. */
class AnnotationFailuresTest {
  private static final AutoConfigurations SASH =
      AutoConfigurations.of(
          SashAutoConfiguration.class,
          SashMethodAutoConfiguration.class,
          SashWebAutoConfiguration.class);

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(SASH)
          .withPropertyValues(
              "sash.policies.one.limits=1/1h",
              "sash.policies.login.limits=1/1h",
              "sash.policies.login.charge-only-status=401");

  private void assertFails(Class<?> bean, String message) {
    runner
        .withBean(bean)
        .run(
            context ->
                assertThat(rootOf(context.getStartupFailure()))
                    .isInstanceOf(BadConfigurationException.class)
                    .hasMessage("@RateLimit on " + bean.getSimpleName() + "." + message));
  }

  private static Throwable rootOf(Throwable failure) {
    return NestedExceptionUtils.getMostSpecificCause(failure);
  }

  static class NoPolicy {
    @RateLimit("serach")
    void call() {}
  }

  static class NoParameter {
    @RateLimit(value = "one", key = "#usr.id")
    void call(String user) {}
  }

  static class NoExpression {
    @RateLimit(value = "one", key = "#user.")
    void call(String user) {}
  }

  static class NoPermits {
    @RateLimit(value = "one", permits = "")
    void call() {}
  }

  static class Private {
    @RateLimit("one")
    @SuppressWarnings("unused")
    private void call() {}
  }

  static class Final {
    @RateLimit("one")
    final void call() {}
  }

  static class Static {
    @RateLimit("one")
    static void call() {}
  }

  static class NoStatus {
    @RateLimit("login")
    void call() {}
  }

  static class TooEarly implements BeanPostProcessor, PriorityOrdered {
    @Override
    public int getOrder() {
      return 0;
    }

    @RateLimit("one")
    void call() {}
  }

  static final class FinalClass {
    @RateLimit("one")
    void call() {}
  }

  static class NoBean {
    @RateLimit(value = "one", key = "@tenants.current()")
    void call() {}
  }

  @Test
  void finalClassesAndUnknownBeansAreExplained() {
    assertFails(
        FinalClass.class,
        "call: no proxy sees calls of a final class: remove 'final' from FinalClass");
    assertFails(
        NoBean.class, "call: an expression refers to @tenants, but there is no bean of that name");
  }

  @Test
  void whatIsWrongIsSaidWithTheNameOfTheMethod() {
    assertFails(NoPolicy.class, "call: there is no policy 'serach'; there are [one, login]");
    assertFails(
        NoParameter.class, "call: key refers to #usr, but the method has no such parameter");
    assertFails(
        Private.class, "call: no proxy sees calls of a method that is private, static or final");
    assertFails(
        Final.class, "call: no proxy sees calls of a method that is private, static or final");
    assertFails(
        Static.class, "call: no proxy sees calls of a method that is private, static or final");
    assertFails(
        NoStatus.class,
        "call: its policy has sash.policies.login.charge-only-status, but only a request has a"
            + " status: leave the key away, or use sash.policies.login.paths");
    runner
        .withBean(NoExpression.class)
        .run(
            context ->
                assertThat(rootOf(context.getStartupFailure()))
                    .hasMessageStartingWith(
                        "@RateLimit on NoExpression.call: key cannot be read: "));
    runner
        .withBean(NoPermits.class)
        .run(
            context ->
                assertThat(rootOf(context.getStartupFailure()))
                    .hasMessageStartingWith(
                        "@RateLimit on NoPermits.call: permits cannot be read: "));
  }

  @Test
  void aBeanThatIsMadeBeforeProxiesAreIsNotSilentlyUnlimited() {
    runner
        .withBean("early", TooEarly.class)
        .run(
            context ->
                assertThat(rootOf(context.getStartupFailure()))
                    .hasMessage(
                        "@RateLimit on TooEarly.call: the bean 'early' has no proxy that would see"
                            + " the call: it was made too early"));
  }

  @Test
  void aLazyBeanIsLookedAtToo() {
    runner
        .withBean(NoPolicy.class, NoPolicy::new, definition -> definition.setLazyInit(true))
        .run(context -> assertThat(context).hasFailed());
  }

  @RestController
  static class Dear {
    @RateLimit(value = "one", permits = "0")
    @GetMapping("/dear")
    String call() {
      return "";
    }
  }

  @RestController
  static class Unread {
    @RateLimit(value = "one", permits = "#rows")
    @GetMapping("/unread")
    String call(int rows) {
      return "";
    }
  }

  @Test
  void aHandlerWithoutAKeyIsDecidedBeforeItsArgumentsAreRead() {
    WebApplicationContextRunner web =
        new WebApplicationContextRunner()
            .withConfiguration(SASH)
            .withPropertyValues("sash.policies.one.limits=1/1h");
    web.withBean(Unread.class)
        .run(
            context ->
                assertThat(rootOf(context.getStartupFailure()))
                    .hasMessage(
                        "@RateLimit on Unread.call: permits refers to #rows, but without a key the"
                            + " call is decided before its arguments are read"));
    web.withBean(Dear.class)
        .run(
            context ->
                assertThat(rootOf(context.getStartupFailure()))
                    .hasMessage(
                        "@RateLimit on Dear.call: permits must be between 1 and 1000000000, were"
                            + " 0"));
  }

  static class Used {
    @RateLimit("one")
    void call() {}
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void whatLimitsNothingIsSaid(CapturedOutput output) {
    runner
        .withBean(Used.class)
        .withPropertyValues(
            "sash.policies.login.charge-only-status=",
            "sash.policies.api.limits=5/s",
            "sash.policies.api.paths=/api/**")
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output)
        .contains(
            "Policy 'login' limits nothing, unless code asks for it: no @RateLimit names it, and"
                + " sash.policies.login.paths is not set")
        .contains(
            "Policy 'api' limits nothing: sash.policies.api.paths is set, but this application"
                + " serves no requests")
        .doesNotContain("Policy 'one'");

    new ApplicationContextRunner().withConfiguration(SASH).run(context -> {});
    assertThat(output)
        .contains("Nothing is limited: there is no policy under sash.policies, and none is a bean");
  }
}
