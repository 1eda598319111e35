package dev.sash.spring.web;

import dev.sash.http.HttpLimiter;
import dev.sash.http.RequestView;
import dev.sash.http.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Receives whether a request could log in, and charges it for a failure. Thread-safe.
 *
 * @param limiter knows which policies charge failed logins
 * @param view the request
 * @param verdict the verdict on the request
 */
public record LoginOutcome(HttpLimiter limiter, RequestView view, Verdict verdict) {
  /**
   * Records that the request tried to log in and failed.
   *
   * @param name the name that it tried; null if it is not known
   */
  public void failed(@Nullable String name) {
    verdict.loginFailed();
    limiter.chargeFailedLogin(name == null ? view : new NamedView(view, name), verdict);
  }

  /** Records that the request has logged in. */
  public void succeeded() {
    verdict.loginSucceeded();
  }
}
