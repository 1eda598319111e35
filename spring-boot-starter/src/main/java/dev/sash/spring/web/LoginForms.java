package dev.sash.spring.web;

import dev.sash.spring.config.SashProperties;
import java.util.List;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** Recognizes requests that post a login form. Thread-safe. */
public final class LoginForms {
  private final List<PathPattern> paths;
  private final String parameter;

  /**
   * Creates a recognizer.
   *
   * @param login how clients log in
   */
  public LoginForms(SashProperties.Login login) {
    this.paths = login.paths().stream().map(new PathPatternParser()::parse).toList();
    this.parameter = login.parameter();
  }

  /**
   * Returns whether a request posts a login form, so that its parameters may be read.
   *
   * @param method the method
   * @param path the path within the application
   * @return true if both fit
   */
  public boolean match(String method, PathContainer path) {
    return method.equals("POST") && paths.stream().anyMatch(pattern -> pattern.matches(path));
  }

  /**
   * Returns the parameter that holds the user's name.
   *
   * @return its name
   */
  public String parameter() {
    return parameter;
  }
}
