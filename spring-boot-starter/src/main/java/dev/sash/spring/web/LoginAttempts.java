package dev.sash.spring.web;

import dev.sash.http.HttpRule;
import dev.sash.http.IncomingRequest;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.SashProperties;
import java.util.function.Predicate;

/** Recognizes requests that try to log in: they carry credentials, or are sent to a login path. */
final class LoginAttempts implements Predicate<IncomingRequest> {
  private final HttpRule forms;

  LoginAttempts(SashProperties.Login login) {
    forms =
        BadConfigurationException.check(
            "sash.web.login.paths",
            () -> HttpRule.forPaths(login.paths().toArray(String[]::new)).methods("POST"));
  }

  @Override
  public boolean test(IncomingRequest request) {
    return request.header("Authorization") != null || forms.matches(request);
  }
}
