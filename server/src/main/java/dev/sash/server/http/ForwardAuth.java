package dev.sash.server.http;

import dev.sash.address.IpAddress;
import dev.sash.config.Configuration;
import dev.sash.config.PolicyConfig;
import dev.sash.http.IncomingRequest;
import dev.sash.http.KeyExtractor;
import dev.sash.http.TrustedProxies;
import dev.sash.server.engine.Answer;
import dev.sash.server.engine.Attributes;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Question;
import dev.sash.server.engine.Reason;
import dev.sash.server.engine.UnknownPolicyException;
import dev.sash.server.metrics.Outcome;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers proxies that ask whether to let a request through: nginx ({@code auth_request}), Traefik
 * (ForwardAuth), Caddy ({@code forward_auth}). What the policy needs to know is found in the
 * request. A policy that does not say what makes its keys is by the client's address.
 */
final class ForwardAuth {
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";
  private static final List<String> API_KEY_FIELDS = List.of("X-Api-Key", "Authorization");

  /** nginx takes no other than the first two for a denial. */
  private static final List<Integer> DENY_STATUSES = List.of(401, 403, 429, 503);

  private final Engine engine;

  ForwardAuth(Engine engine) {
    this.engine = engine;
  }

  void handle(Exchange exchange, List<String> parameters) {
    String policy = PercentEncoding.decoded("policy", parameters.get(0));
    int denyStatus = 429;
    Long permits = null;
    for (Map.Entry<String, String> parameter :
        PercentEncoding.parameters(exchange.request().query()).entrySet()) {
      switch (parameter.getKey()) {
        case "deny" -> denyStatus = denyStatus(parameter.getValue());
        case "permits" -> permits = Questions.permits(parameter.getValue());
        default -> throw Refusal.bad("query must have no parameters but deny and permits");
      }
    }
    Question question = question(exchange, policy, permits);
    int status = denyStatus;
    try {
      exchange.after(engine.check(question), answer -> answer(exchange, answer, status));
    } catch (IllegalArgumentException e) {
      // The client did not send what the policy is by. Proxies would make an error of 400.
      exchange.problem(status, "about:blank", String.valueOf(e.getMessage()), Outcome.DENIED);
    }
  }

  private static int denyStatus(String text) {
    for (int status : DENY_STATUSES) {
      if (text.equals(Integer.toString(status))) {
        return status;
      }
    }
    throw Refusal.bad("deny must be one of 401, 403, 429, 503");
  }

  private Question question(Exchange exchange, String name, @Nullable Long permits) {
    Configuration configuration = engine.configuration();
    PolicyConfig policy = configuration.policies().get(name);
    if (policy == null) {
      throw new UnknownPolicyException(name);
    }
    ForwardedRequest view = new ForwardedRequest(exchange.request());
    TrustedProxies proxies = TrustedProxies.xForwardedFor(configuration.trustedProxies());
    IncomingRequest request = new IncomingRequest(view, proxies);
    Map<String, String> attributes = new HashMap<>();
    add(attributes, Attributes.IP, view, request);
    policy.keyAttributes().forEach(attribute -> add(attributes, attribute, view, request));
    add(attributes, policy.tierAttribute(), view, request);
    if (policy.cost().attribute() != null) {
      add(attributes, policy.cost().attribute(), view, request);
    }
    String key =
        policy.keyAttributes().isEmpty() ? KeyExtractor.clientAddress().keyOf(request) : null;
    return new Question(name, key, permits, attributes);
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
        return apiKey(request);
      }
      case "method" -> {
        return request.method();
      }
      case "host" -> {
        return view.host().toLowerCase(Locale.ROOT);
      }
      case "path" -> {
        return request.path();
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
      case "header" -> request.header(rest);
      case "cookie" -> request.cookie(rest);
      case "query" -> request.queryParameter(rest);
      default -> null;
    };
  }

  private static @Nullable String apiKey(IncomingRequest request) {
    for (String field : API_KEY_FIELDS) {
      String value = request.header(field);
      if (value != null) {
        return value;
      }
    }
    return null;
  }

  private static void answer(Exchange exchange, Answer answer, int denyStatus) {
    Fields.write(exchange, answer);
    if (answer.allowed()) {
      exchange.answer(200, Outcome.ALLOWED);
    } else {
      exchange.problem(denyStatus, QUOTA_EXCEEDED, detail(answer), Outcome.DENIED);
    }
  }

  private static String detail(Answer answer) {
    if (answer.reason() == Reason.DENY_LIST) {
      return "Denied by policy " + answer.policy() + ".";
    }
    long seconds = Fields.retryAfterSeconds(answer);
    return "Limit "
        + answer.policy()
        + " exceeded. "
        + (seconds == 0
            ? "The request is larger than the limit ever allows."
            : "Try again in " + seconds + (seconds == 1 ? " second." : " seconds."));
  }
}
