package dev.sash.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A request put together by hand. */
final class TestRequest implements RequestView {
  private final Map<String, List<String>> headers = new TreeMap<>();
  private final String method;
  private final String path;
  private final String query;
  private String contextPath = "";
  private String peer = "192.0.2.1";
  private String principal;
  private String route;

  private TestRequest(String method, String target) {
    int question = target.indexOf('?');
    this.method = method;
    this.path = question < 0 ? target : target.substring(0, question);
    this.query = question < 0 ? null : target.substring(question + 1);
  }

  static TestRequest get(String target) {
    return new TestRequest("GET", target);
  }

  static TestRequest of(String method, String target) {
    return new TestRequest(method, target);
  }

  TestRequest header(String name, String... lines) {
    headers
        .computeIfAbsent(name.toLowerCase(Locale.ROOT), n -> new ArrayList<>())
        .addAll(Arrays.asList(lines));
    return this;
  }

  TestRequest peer(String address) {
    peer = address;
    return this;
  }

  TestRequest principal(String name) {
    principal = name;
    return this;
  }

  TestRequest route(String template) {
    route = template;
    return this;
  }

  TestRequest context(String newContextPath) {
    contextPath = newContextPath;
    return this;
  }

  IncomingRequest incoming() {
    return new IncomingRequest(this, TrustedProxies.none());
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public String contextPath() {
    return contextPath;
  }

  @Override
  public String query() {
    return query;
  }

  @Override
  public List<String> headers(String name) {
    return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
  }

  @Override
  public String peerAddress() {
    return peer;
  }

  @Override
  public String principal() {
    return principal;
  }

  @Override
  public String routeTemplate() {
    return route;
  }
}
