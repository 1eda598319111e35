package dev.sash.servlet;

import dev.sash.http.RequestView;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A servlet request as {@link dev.sash.http.HttpLimiter} reads it. Does not call {@code
 * getParameter}, which may consume the body.
 *
 * @param request the request
 * @param principals finds the authenticated user
 * @param routes finds the pattern of the handler
 * @param loginNames finds the name with which the client tries to log in
 */
record ServletRequestView(
    HttpServletRequest request,
    Function<HttpServletRequest, @Nullable String> principals,
    Function<HttpServletRequest, @Nullable String> routes,
    Function<HttpServletRequest, @Nullable String> loginNames)
    implements RequestView {

  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public String path() {
    return request.getRequestURI();
  }

  @Override
  public String contextPath() {
    return request.getContextPath();
  }

  @Override
  public @Nullable String query() {
    return request.getQueryString();
  }

  @Override
  public List<String> headers(String name) {
    Enumeration<String> lines = request.getHeaders(name);
    return lines == null ? List.of() : Collections.list(lines); // null where access is forbidden
  }

  @Override
  public @Nullable String header(String name) {
    return request.getHeader(name);
  }

  @Override
  public @Nullable String peerAddress() {
    return request.getRemoteAddr();
  }

  @Override
  public @Nullable String principal() {
    return principals.apply(request);
  }

  @Override
  public @Nullable String loginName() {
    String basic = RequestView.super.loginName();
    String other = loginNames.apply(request);
    if (basic == null || other == null) {
      return basic == null ? other : basic;
    }
    return basic.equals(other) ? basic : null; // one name must not hide another
  }

  @Override
  public @Nullable String routeTemplate() {
    return routes.apply(request);
  }
}
