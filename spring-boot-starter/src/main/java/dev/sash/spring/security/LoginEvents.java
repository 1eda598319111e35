package dev.sash.spring.security;

import dev.sash.spring.web.LoginOutcome;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationListener;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.event.AbstractAuthenticationEvent;
import org.springframework.security.authentication.event.AbstractAuthenticationFailureEvent;
import org.springframework.security.authentication.event.AuthenticationSuccessEvent;
import org.springframework.security.core.Authentication;

/** Passes the outcome of logins on to the limits of the request. */
public final class LoginEvents implements ApplicationListener<AbstractAuthenticationEvent> {
  private final Supplier<@Nullable LoginOutcome> logins;

  /**
   * Creates a listener.
   *
   * @param logins returns what receives the outcome of this thread's login; null if the thread
   *     serves no request
   */
  public LoginEvents(Supplier<@Nullable LoginOutcome> logins) {
    this.logins = logins;
  }

  @Override
  public void onApplicationEvent(AbstractAuthenticationEvent event) {
    LoginOutcome outcome = logins.get();
    if (outcome == null) {
      return;
    }
    if (event instanceof AbstractAuthenticationFailureEvent) {
      outcome.failed(nameIn(event.getAuthentication()));
    } else if (event instanceof AuthenticationSuccessEvent) {
      outcome.succeeded();
    }
  }

  /** Of other kinds of authentication, such as bearer tokens, the name may be a secret. */
  static @Nullable String nameIn(Authentication authentication) {
    return authentication instanceof UsernamePasswordAuthenticationToken
        ? authentication.getName()
        : null;
  }
}
