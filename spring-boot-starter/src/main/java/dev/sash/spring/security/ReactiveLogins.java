package dev.sash.spring.security;

import dev.sash.spring.web.LoginOutcome;
import java.util.function.Consumer;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import reactor.core.publisher.Mono;

/**
 * Passes the outcome of logins on to the limits of the request: under WebFlux, Spring Security
 * publishes no events. Spring Security passes its authentication managers to one bean, by name; if
 * something else provides that bean, such as observations, this class adds to what it does.
 */
public final class ReactiveLogins
    implements ObjectPostProcessor<ReactiveAuthenticationManager>, BeanPostProcessor {
  /** The name of the bean that Spring Security passes its authentication managers to. */
  public static final String NAME = "reactiveAuthenticationManagerPostProcessor";

  /** Creates a post-processor. */
  public ReactiveLogins() {}

  @Override
  @SuppressWarnings("unchecked") // Spring Security uses a manager as nothing else
  public <O extends ReactiveAuthenticationManager> O postProcess(O manager) {
    return (O) reporting(manager);
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    return name.equals(NAME)
            && bean instanceof ObjectPostProcessor<?> other
            && !(bean instanceof ReactiveLogins)
        ? after(other)
        : bean;
  }

  @SuppressWarnings("unchecked") // as the name says
  private static ObjectPostProcessor<ReactiveAuthenticationManager> after(
      ObjectPostProcessor<?> other) {
    ObjectPostProcessor<ReactiveAuthenticationManager> first =
        (ObjectPostProcessor<ReactiveAuthenticationManager>) other;
    return new ObjectPostProcessor<>() {
      @Override
      public <O extends ReactiveAuthenticationManager> O postProcess(O manager) {
        return (O) reporting(first.postProcess(manager));
      }
    };
  }

  private static ReactiveAuthenticationManager reporting(ReactiveAuthenticationManager manager) {
    return authentication ->
        Mono.deferContextual(
            context -> {
              Consumer<Consumer<LoginOutcome>> report =
                  step -> context.<LoginOutcome>getOrEmpty(LoginOutcome.class).ifPresent(step);
              return authenticate(manager, authentication, report);
            });
  }

  private static Mono<Authentication> authenticate(
      ReactiveAuthenticationManager manager,
      Authentication authentication,
      Consumer<Consumer<LoginOutcome>> report) {
    return manager
        .authenticate(authentication)
        .doOnNext(known -> report.accept(LoginOutcome::succeeded))
        .doOnError(
            AuthenticationException.class,
            failure ->
                report.accept(outcome -> outcome.failed(LoginEvents.nameIn(authentication))));
  }
}
