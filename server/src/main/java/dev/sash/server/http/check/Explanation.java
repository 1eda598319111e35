package dev.sash.server.http.check;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import dev.sash.Release;
import dev.sash.server.engine.CheckResult;
import dev.sash.server.engine.Reason;
import dev.sash.server.http.exchange.Json;
import dev.sash.server.http.exchange.JsonBytes;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;

/**
 * Why a request would be admitted or denied now, in one sentence and as data.
 *
 * @param answer the answer to the request, with usages of the limits that were consulted
 */
public record Explanation(CheckResult answer) {
  /** Returns the explanation of an answer. */
  public static Explanation of(CheckResult answer) {
    return new Explanation(answer);
  }

  /** Returns the sentence. */
  public String sentence() {
    String policy = "policy '" + answer.policy() + "'";
    return switch (answer.reason()) {
      case OFF -> "Admitted: " + policy + " is off.";
      case ALLOW_LIST -> "Admitted: the key is on the allow list of " + policy + ".";
      case DENY_LIST -> "Denied: the key is on the deny list of " + policy + ".";
      case UNLIMITED -> "Admitted: an override of " + policy + " admits all requests of the key.";
      case BLOCKED -> "Denied: an override of " + policy + " blocks the key.";
      case SHADOW ->
          "Admitted, since " + policy + " is in shadow mode. It would be: " + byLimits() + place();
      case LIMIT -> byLimits() + place();
    };
  }

  private String byLimits() {
    Decision decision = answer.decision();
    Limit limit = decision.decidedBy();
    String state =
        "%d of %d permits of %s are used, %d requested."
            .formatted(decision.used(), limit.capacity(), limit, answer.permits());
    if (decision.allowed()) {
      return "Admitted: " + state;
    }
    if (decision.neverAllowed()) {
      return "Denied: %s never admits %d permits at once.".formatted(limit, answer.permits());
    }
    return "Denied: %s The request fits in %s s, unless more is charged before."
        .formatted(state, seconds(decision.retryAfter()));
  }

  private String place() {
    return answer.decision().source() == Source.OVERFLOW
        ? " The store has no room for this key, which shares its limit with others."
        : "";
  }

  /** Rounds up: a request after that time is not too early. */
  private static String seconds(Duration duration) {
    long millis = ResultWriter.ceilMillis(duration);
    return String.format(Locale.ROOT, "%d.%03d", millis / 1_000, millis % 1_000);
  }

  /** Returns the explanation as JSON. */
  public Buffer toJson() {
    JsonBytes fields = new JsonBytes();
    ResultWriter.write(fields.put('{'), answer);
    String state = fields.put('}').toBuffer().toString();
    return Json.object(
        json -> {
          json.writeStringField("sentence", sentence());
          json.writeStringField("key", answer.key());
          json.writeNumberField("permits", answer.permits());
          json.writeStringField("reason", answer.reason().id());
          if (answer.reason() == Reason.LIMIT || answer.reason() == Reason.SHADOW) {
            json.writeStringField("decidedBy", answer.decision().decidedBy().toString());
          }
          json.writeFieldName("state");
          json.writeRawValue(state);
          json.writeArrayFieldStart("limits");
          for (LimitUsage usage : answer.decision().usages()) {
            write(json, usage);
          }
          json.writeEndArray();
        });
  }

  private void write(JsonGenerator json, LimitUsage usage) throws IOException {
    long capacity = usage.limit().capacity();
    json.writeStartObject();
    json.writeStringField("limit", usage.limit().toString());
    json.writeNumberField("capacity", capacity);
    json.writeNumberField("used", usage.used());
    json.writeNumberField("remaining", Math.max(0, capacity - usage.used()));
    json.writeBooleanField("fits", usage.used() + answer.permits() <= capacity);
    json.writeNumberField("records", usage.records());
    json.writeArrayFieldStart("releases");
    for (Release release : usage.releases()) {
      json.writeStartObject();
      json.writeNumberField("afterMs", ResultWriter.ceilMillis(release.after()));
      json.writeNumberField("used", release.used());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
