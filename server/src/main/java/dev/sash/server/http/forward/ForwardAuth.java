package dev.sash.server.http.forward;

import dev.sash.address.IpAddress;
import dev.sash.config.Configuration;
import dev.sash.config.ForwardedBy;
import dev.sash.config.policy.PolicyConfig;
import dev.sash.http.IncomingRequest;
import dev.sash.http.KeyExtractor;
import dev.sash.http.TrustedProxies;
import dev.sash.server.engine.Attributes;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.engine.CheckResult;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.UnknownPolicyException;
import dev.sash.server.http.exchange.Exchange;
import dev.sash.server.http.exchange.PercentEncoding;
import dev.sash.server.http.exchange.Refusal;
import dev.sash.server.http.exchange.ResponseFields;
import dev.sash.server.metrics.Outcome;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Responds to proxies that check whether to let a request through: nginx ({@code auth_request}),
 * Traefik (ForwardAuth), Caddy ({@code forward_auth}) and Envoy ({@code ext_authz}). The attributes
 * that the policies need are taken from the request. A policy without key attributes is by the
 * client's address.
 *
 * <p>Nothing that decides how much a request may spend is taken from the client: not the query of
 * the URI, which Caddy passes on from the client, and the tier and the cost only from trusted
 * proxies.
 */
public final class ForwardAuth {
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";
  private static final String DEFAULT_API_KEY_FIELD = "X-Api-Key";
  private static final int MAX_POLICIES = 8;

  private final Engine engine;
  private final ProxyWarning warning;

  /** Creates a handler. */
  public ForwardAuth(Engine engine, ProxyWarning warning) {
    this.engine = engine;
    this.warning = warning;
  }

  /**
   * Answers a request.
   *
   * @param parameters the names of the policies, separated by commas, and the rest of the path
   */
  public void handle(Exchange exchange, List<String> parameters) {
    Configuration configuration = engine.configuration();
    List<PolicyConfig> policies = policies(configuration, parameters.get(0));
    String rest = parameters.size() > 1 ? parameters.get(1) : null;
    if (rest != null && configuration.proxies().forwardedBy() != ForwardedBy.ENVOY) {
      throw new Refusal(404, "there is nothing at this path: it must end after the policies");
    }
    List<CheckRequest> requests = requests(exchange, configuration, policies, rest);
    int denyStatus = configuration.proxies().denyStatus();
    try {
      exchange.after(engine.checkAll(requests), answers -> answer(exchange, answers, denyStatus));
    } catch (IllegalArgumentException e) {
      // The request lacks an attribute of a key. Proxies would make an error of 400.
      exchange.problem(denyStatus, "about:blank", String.valueOf(e.getMessage()), Outcome.DENIED);
    }
  }

  /**
   * Returns whether a trusted proxy sent the request: its fields tell, which a web page could not
   * send without being permitted to. The marks of browsers in it are those of the original request.
   */
  public boolean isFromProxy(HttpServerRequest request) {
    Configuration configuration = engine.configuration();
    String peer = request.remoteAddress().hostAddress();
    return configuration.proxies().trusted().contains(IpAddress.parsePeer(peer))
        && ForwardedRequest.isMarked(request.headers());
  }

  private static List<PolicyConfig> policies(Configuration configuration, String names) {
    List<PolicyConfig> policies = new ArrayList<>(1);
    for (String name : PercentEncoding.decoded("policy", names).split(",", -1)) {
      PolicyConfig policy = configuration.policies().get(name);
      if (policy == null) {
        throw new UnknownPolicyException(name);
      }
      if (policies.size() == MAX_POLICIES) {
        throw Refusal.bad("policies must be at most " + MAX_POLICIES + ", are more");
      }
      if (policies.contains(policy)) {
        throw Refusal.bad("policies must be different, '" + name + "' is named twice");
      }
      policies.add(policy);
    }
    return policies;
  }

  private List<CheckRequest> requests(
      Exchange exchange,
      Configuration configuration,
      List<PolicyConfig> policies,
      @Nullable String rest) {
    TrustedProxies proxies = TrustedProxies.xForwardedFor(configuration.proxies().trusted());
    String peer = exchange.request().remoteAddress().hostAddress();
    boolean trusted = proxies.trust(IpAddress.parsePeer(peer));
    if (!trusted) {
      warning.check(exchange.request().headers());
    }
    ForwardedRequest view =
        new ForwardedRequest(
            exchange.request(),
            trusted ? configuration.proxies().forwardedBy() : ForwardedBy.NONE,
            rest);
    IncomingRequest request = new IncomingRequest(view, proxies);
    List<CheckRequest> requests = new ArrayList<>(policies.size());
    for (PolicyConfig policy : policies) {
      requests.add(request(policy, view, request, trusted));
    }
    return requests;
  }

  private static CheckRequest request(
      PolicyConfig policy, ForwardedRequest view, IncomingRequest request, boolean trusted) {
    Map<String, String> attributes = new HashMap<>();
    add(attributes, Attributes.IP, view, request);
    policy.keyAttributes().forEach(attribute -> add(attributes, attribute, view, request));
    if (trusted && !policy.tiers().isEmpty()) {
      add(attributes, policy.tierAttribute(), view, request);
    }
    if (trusted && policy.cost().attribute() != null) {
      add(attributes, policy.cost().attribute(), view, request);
    }
    String key =
        policy.keyAttributes().isEmpty() ? KeyExtractor.clientAddress().keyOf(request) : null;
    return new CheckRequest(policy.name(), key, null, attributes);
  }

  private static void add(
      Map<String, String> attributes, String name, ForwardedRequest view, IncomingRequest request) {
    String value = attribute(name, view, request);
    if (value != null && !value.isEmpty()) {
      attributes.put(name, value);
    }
  }

  private static @Nullable String attribute(
      String name, ForwardedRequest view, IncomingRequest request) {
    switch (name) {
      case Attributes.IP -> {
        IpAddress client = request.client();
        return client == null ? null : client.toString();
      }
      case Attributes.API_KEY -> {
        return request.header(DEFAULT_API_KEY_FIELD);
      }
      case "method" -> {
        return view.originalMethod();
      }
      case "host" -> {
        String host = view.originalHost();
        return host == null ? null : host.toLowerCase(Locale.ROOT);
      }
      case "path" -> {
        return view.hasUri() ? request.path() : null;
      }
      default -> {
        return named(name, request);
      }
    }
  }

  private static @Nullable String named(String name, IncomingRequest request) {
    int colon = name.indexOf(':');
    String rest = name.substring(colon + 1);
    return switch (name.substring(0, Math.max(0, colon))) {
      case "header", "apikey" -> request.header(rest);
      case "cookie" -> request.cookie(rest);
      case "query" -> request.queryParameter(rest);
      default -> null;
    };
  }

  private static void answer(Exchange exchange, List<CheckResult> answers, int denyStatus) {
    ResponseFields.write(exchange, answers);
    List<CheckResult> denials = answers.stream().filter(answer -> !answer.allowed()).toList();
    if (denials.isEmpty()) {
      exchange.answer(200, Outcome.ALLOWED);
    } else {
      exchange.problem(denyStatus, QUOTA_EXCEEDED, detail(denials), Outcome.DENIED);
    }
  }

  private static String detail(List<CheckResult> denials) {
    String names = denials.stream().map(CheckResult::policy).collect(Collectors.joining(", "));
    if (denials.stream().anyMatch(denial -> denial.reason().isDenial())) {
      return "Denied by policy " + names + ".";
    }
    long seconds = ResponseFields.retryAfterSeconds(denials);
    return (denials.size() == 1 ? "Limit " : "Limits ")
        + names
        + " exceeded. "
        + (seconds == 0
            ? "The request is larger than the limit ever allows."
            : "Try again in " + seconds + (seconds == 1 ? " second." : " seconds."));
  }
}
