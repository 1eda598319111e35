package dev.sash.spring.web;

import dev.sash.http.RequestView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request of which it is known under which name it tried to log in.
 *
 * @param view the request
 * @param loginName the name
 */
record NamedView(RequestView view, String loginName) implements RequestView {
  @Override
  public String method() {
    return view.method();
  }

  @Override
  public String path() {
    return view.path();
  }

  @Override
  public String contextPath() {
    return view.contextPath();
  }

  @Override
  public @Nullable String query() {
    return view.query();
  }

  @Override
  public List<String> headers(String name) {
    return view.headers(name);
  }

  @Override
  public @Nullable String header(String name) {
    return view.header(name);
  }

  @Override
  public @Nullable String peerAddress() {
    return view.peerAddress();
  }

  @Override
  public @Nullable String principal() {
    return view.principal();
  }

  @Override
  public @Nullable String routeTemplate() {
    return view.routeTemplate();
  }
}
