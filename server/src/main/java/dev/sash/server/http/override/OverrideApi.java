package dev.sash.server.http.override;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.UnknownPolicyException;
import dev.sash.server.http.exchange.Exchange;
import dev.sash.server.http.exchange.Json;
import dev.sash.server.http.exchange.PercentEncoding;
import dev.sash.server.http.exchange.Refusal;
import dev.sash.server.http.guard.AdminGuard;
import dev.sash.server.http.override.OverrideReader.Removal;
import dev.sash.server.metrics.Outcome;
import dev.sash.server.override.AuditEntry;
import dev.sash.server.override.KeyOverride;
import dev.sash.server.override.NoOverrideException;
import dev.sash.server.override.OverrideKeeper;
import dev.sash.server.override.OverrideStorageException;
import dev.sash.server.override.StoredForm;
import dev.sash.store.StoreException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Sets, removes and lists overrides, for operators. */
public final class OverrideApi {
  private final Engine engine;
  private final OverrideKeeper overrides;
  private final AdminGuard guard;

  /** Creates the API of an engine's overrides. */
  public OverrideApi(Engine engine, OverrideKeeper overrides, AdminGuard guard) {
    this.engine = engine;
    this.overrides = overrides;
    this.guard = guard;
  }

  /** Refuses callers that are not operators, before their body is read. */
  public void admit(Exchange exchange) {
    guard.admit(exchange);
  }

  /** Lists the overrides in force, of one policy or of all. */
  public void list(Exchange exchange) {
    guard.admit(exchange);
    String policy = policyOf(exchange.request().query());
    List<KeyOverride> found = overrides.overrides(policy);
    if (policy != null && found.isEmpty() && !isConfigured(policy)) {
      throw new UnknownPolicyException(policy);
    }
    exchange.answer(
        200,
        Exchange.JSON,
        Json.object(
            json -> {
              json.writeStringField("kept", overrides.kept());
              json.writeArrayFieldStart("overrides");
              for (KeyOverride override : found) {
                StoredForm.write(json, override);
              }
              json.writeEndArray();
            }),
        Outcome.DONE);
  }

  private static @Nullable String policyOf(@Nullable String query) {
    Map<String, String> parameters = query == null ? Map.of() : PercentEncoding.parameters(query);
    for (String name : parameters.keySet()) {
      if (!name.equals("policy")) {
        throw Refusal.bad("unknown parameter: allowed is policy");
      }
    }
    return parameters.get("policy");
  }

  private boolean isConfigured(String policy) {
    return engine.configuration().policies().containsKey(policy);
  }

  /** Lists the latest actions of operators. */
  public void audit(Exchange exchange) {
    guard.admit(exchange);
    List<AuditEntry> actions = overrides.audit();
    exchange.answer(
        200,
        Exchange.JSON,
        Json.object(
            json -> {
              json.writeStringField("kept", overrides.kept());
              json.writeArrayFieldStart("actions");
              for (int i = actions.size() - 1; i >= 0; i--) {
                StoredForm.write(json, actions.get(i));
              }
              json.writeEndArray();
            }),
        Outcome.DONE);
  }

  /** Sets an override. */
  public void set(Exchange exchange, List<String> parameters, byte[] body) {
    String policy = PercentEncoding.decoded("policy", parameters.get(0));
    if (!isConfigured(policy)) {
      throw new UnknownPolicyException(policy);
    }
    KeyOverride override = OverrideReader.override(policy, body, Instant.now());
    answer(exchange, overrides.set(override));
  }

  /** Removes an override, whose policy need not be configured any more. */
  public void remove(Exchange exchange, List<String> parameters, byte[] body) {
    String policy = PercentEncoding.decoded("policy", parameters.get(0));
    if (!isConfigured(policy) && overrides.overrides(policy).isEmpty()) {
      throw new UnknownPolicyException(policy);
    }
    Removal removal = OverrideReader.removal(policy, body);
    answer(exchange, overrides.remove(removal.target(), removal.author(), removal.reason()));
  }

  private void answer(Exchange exchange, CompletionStage<KeyOverride> stage) {
    exchange.after(
        stage.exceptionallyCompose(failure -> CompletableFuture.failedStage(refusalOf(failure))),
        override ->
            exchange.answer(
                200, Exchange.JSON, Json.object(json -> result(json, override)), Outcome.DONE));
  }

  private void result(JsonGenerator json, KeyOverride override) throws IOException {
    json.writeStringField("kept", overrides.kept());
    json.writeFieldName("override");
    StoredForm.write(json, override);
  }

  private static Throwable refusalOf(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof NoOverrideException) {
      return new Refusal(404, String.valueOf(cause.getMessage()));
    }
    if (cause instanceof OverrideStorageException) {
      return new Refusal(503, String.valueOf(cause.getMessage()));
    }
    if (cause instanceof StoreException) {
      return new Refusal(
          503, "the store does not answer; GET /v1/overrides tells later whether this took effect");
    }
    return cause;
  }
}
