package dev.sash.spring.webmvc;

import dev.sash.spring.web.LoginForms;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** Finds the name in a login form, as Spring Security reads it. */
public final class ServletLogins implements Function<HttpServletRequest, @Nullable String> {
  private final LoginForms forms;

  /**
   * Creates a reader of forms.
   *
   * @param forms recognizes login forms
   */
  public ServletLogins(LoginForms forms) {
    this.forms = forms;
  }

  @Override
  public @Nullable String apply(HttpServletRequest request) {
    String path = request.getRequestURI().substring(request.getContextPath().length());
    return forms.match(request.getMethod(), PathContainer.parsePath(path))
        ? request.getParameter(forms.parameter())
        : null;
  }
}
