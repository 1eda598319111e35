package dev.sash.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sash.Limit;
import dev.sash.config.policy.PolicyConfig;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.engine.CheckResult;
import dev.sash.server.engine.Engine;
import dev.sash.server.http.Operations.ConfigurationStatus;
import dev.sash.server.http.check.CheckReader;
import dev.sash.server.http.check.CheckReader.Form;
import dev.sash.server.http.check.Checks;
import dev.sash.server.http.check.Explanation;
import dev.sash.server.http.check.ResultWriter;
import dev.sash.server.http.exchange.Exchange;
import dev.sash.server.http.exchange.Json;
import dev.sash.server.http.exchange.JsonBytes;
import dev.sash.server.http.forward.ProxyWarning;
import dev.sash.server.http.guard.AdminGuard;
import dev.sash.server.metrics.Outcome;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** What operators do, and what they look at. */
final class Administration {
  private static final Buffer LIVE = Buffer.buffer("ok\n");

  private final Vertx vertx;
  private final Engine engine;
  private final Operations operations;
  private final ProxyWarning proxyWarning;
  private final AdminGuard guard;

  Administration(
      Vertx vertx,
      Engine engine,
      Operations operations,
      ProxyWarning proxyWarning,
      AdminGuard guard) {
    this.vertx = vertx;
    this.engine = engine;
    this.operations = operations;
    this.proxyWarning = proxyWarning;
    this.guard = guard;
  }

  /** Forgets a key. */
  void reset(Exchange exchange, byte[] body) {
    guard.admit(exchange);
    exchange.after(
        engine.reset(CheckReader.one(body, Form.LOOK).request()),
        nothing -> exchange.answer(204, Outcome.DONE));
  }

  /** Reports the state of a key. */
  void inspect(Exchange exchange, List<String> parameters) {
    guard.admit(exchange);
    CheckRequest request = Checks.byPath(parameters, exchange.request().query()).withPermits(0);
    exchange.after(engine.check(request), answer -> inspected(exchange, answer));
  }

  private void inspected(Exchange exchange, CheckResult answer) {
    JsonBytes state = new JsonBytes();
    ResultWriter.write(state.put('{'), answer);
    String fields = state.put('}').toBuffer().toString();
    exchange.answer(
        200,
        Exchange.JSON,
        Json.object(
            json -> {
              json.writeStringField("key", answer.key());
              json.writeStringField("store", engine.storeName());
              limits(json, "limits", answer.limits());
              json.writeFieldName("state");
              json.writeRawValue(fields);
            }),
        Outcome.DONE);
  }

  /** Says what a request would receive now, and why. */
  void explain(Exchange exchange) {
    guard.admit(exchange);
    CheckRequest request = Checks.byQuery(exchange.request().query());
    exchange.after(
        engine.explain(request),
        answer ->
            exchange.answer(200, Exchange.JSON, Explanation.of(answer).toJson(), Outcome.DONE));
  }

  /** Lists the policies. */
  void policies(Exchange exchange) {
    Map<String, PolicyConfig> policies = engine.configuration().policies();
    exchange.answer(
        200,
        Exchange.JSON,
        Json.object(
            json -> {
              json.writeArrayFieldStart("policies");
              for (PolicyConfig policy : policies.values()) {
                policy(json, policy);
              }
              json.writeEndArray();
            }),
        Outcome.DONE);
  }

  private static void policy(JsonGenerator json, PolicyConfig policy) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", policy.name());
    limits(json, "limits", policy.policy().limits());
    json.writeStringField("mode", policy.mode().id());
    json.writeStringField(
        "onFailure", policy.policy().failureRule().name().toLowerCase(Locale.ROOT));
    json.writeNumberField("deadlineMs", policy.policy().deadline().toMillis());
    json.writeArrayFieldStart("key");
    for (String attribute : policy.keyAttributes()) {
      json.writeString(attribute);
    }
    json.writeEndArray();
    if (!policy.tiers().isEmpty()) {
      json.writeStringField("tierBy", policy.tierAttribute());
      json.writeObjectFieldStart("tiers");
      for (Map.Entry<String, List<Limit>> tier : policy.tiers().entrySet()) {
        limits(json, tier.getKey(), tier.getValue());
      }
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private static void limits(JsonGenerator json, String name, List<Limit> limits)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (Limit limit : limits) {
      json.writeString(limit.toString());
    }
    json.writeEndArray();
  }

  /** Reports the current configuration, and what is wrong with a newer one that was refused. */
  void configuration(Exchange exchange) {
    guard.admit(exchange);
    status(exchange);
  }

  private void status(Exchange exchange) {
    ConfigurationStatus status = operations.configuration();
    exchange.answer(
        200,
        Exchange.JSON,
        Json.object(
            json -> {
              json.writeStringField("source", status.source());
              json.writeStringField("since", status.since().toString());
              json.writeBooleanField("current", status.refusal() == null);
              if (status.refusal() != null) {
                json.writeStringField("refusal", status.refusal());
              }
            }),
        Outcome.DONE);
  }

  /** Reads the configuration again. */
  void reload(Exchange exchange) {
    guard.admit(exchange);
    Callable<Void> reload =
        () -> {
          operations.reload();
          return null;
        };
    exchange.after(vertx.executeBlocking(reload).toCompletionStage(), nothing -> status(exchange));
  }

  /** Whether the process works at all. */
  void liveness(Exchange exchange) {
    exchange.answer(200, Exchange.TEXT, LIVE, Outcome.DONE);
  }

  /**
   * Reports whether requests should be sent here. That the store is unavailable or a file was
   * refused is reported too, but is no reason to send them elsewhere: other servers have the same
   * store and the same files.
   */
  void readiness(Exchange exchange) {
    boolean ready = operations.isReady();
    exchange.answer(
        ready ? 200 : 503,
        Exchange.JSON,
        Json.object(
            json -> {
              json.writeBooleanField("ready", ready);
              json.writeStringField("store", engine.storeName());
              json.writeBooleanField("storeUp", engine.isStoreUp());
              json.writeBooleanField(
                  "configurationCurrent", operations.configuration().refusal() == null);
              String warning = proxyWarning.current();
              if (warning != null) {
                json.writeArrayFieldStart("warnings");
                json.writeString(warning);
                json.writeEndArray();
              }
            }),
        Outcome.DONE);
  }

  /** The meters. */
  void metrics(Exchange exchange) {
    exchange.after(
        vertx.executeBlocking(operations::metrics).toCompletionStage(),
        text ->
            exchange.answer(
                200,
                "text/plain; version=0.0.4; charset=utf-8",
                Buffer.buffer(text),
                Outcome.DONE));
  }
}
