package dev.sash.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.UnknownPolicyException;
import dev.sash.server.http.exchange.Exchange;
import dev.sash.server.http.exchange.Json;
import dev.sash.server.http.exchange.PercentEncoding;
import dev.sash.server.http.exchange.Refusal;
import dev.sash.server.http.guard.AdminGuard;
import dev.sash.server.metrics.Outcome;
import dev.sash.server.statistics.Counts;
import dev.sash.server.statistics.Denial;
import dev.sash.server.statistics.Fleet;
import dev.sash.server.statistics.Fleet.FleetCounts;
import dev.sash.server.statistics.Measure;
import dev.sash.server.statistics.PeakUse;
import dev.sash.server.statistics.PolicyCounts;
import dev.sash.server.statistics.PolicyDetail;
import dev.sash.server.statistics.PolicyDetail.TopKey;
import dev.sash.server.statistics.PolicyDetail.TopKeys;
import dev.sash.server.statistics.RecentDenials;
import dev.sash.server.statistics.Statistics;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Reports statistics: sums to anybody, everything with keys to operators. */
final class StatisticsRoutes {
  private static final int MOST_POLICIES = 1_000;
  private static final int USUAL = 100;
  private static final String POLICY = "[A-Za-z0-9_][A-Za-z0-9._-]{0,63}";

  /** Reading may take some milliseconds, which an event loop does not have. */
  private final Executor worker;

  private final Engine engine;
  private final Operations operations;
  private final AdminGuard guard;

  StatisticsRoutes(Vertx vertx, Engine engine, Operations operations, AdminGuard guard) {
    this.operations = operations;
    this.worker = task -> vertx.executeBlocking(Executors.callable(task));
    this.engine = engine;
    this.guard = guard;
  }

  /** Reports the sums of all policies together, and of each. */
  void all(Exchange exchange) {
    Map<String, String> query = query(exchange, Set.of("limit"));
    int most = limit(query, MOST_POLICIES);
    Statistics statistics = statistics();
    Fleet fleet = operations.fleet();
    CompletionStage<FleetCounts> counts =
        fleet == null
            ? CompletableFuture.supplyAsync(() -> alone(statistics), worker)
            : fleet.counts(worker);
    exchange.after(
        counts.thenApplyAsync(
            all -> Json.object(json -> writeAll(json, statistics, all, most)), worker),
        buffer -> exchange.answer(200, Exchange.JSON, buffer, Outcome.DONE));
  }

  private static FleetCounts alone(Statistics statistics) {
    return new FleetCounts(1, statistics.total(), statistics.policies());
  }

  private static void writeAll(JsonGenerator json, Statistics statistics, FleetCounts all, int most)
      throws IOException {
    List<PolicyCounts> policies = all.policies();
    json.writeNumberField("servers", all.servers());
    json.writeStringField("keys", statistics.keys().id());
    json.writeNumberField("lost", statistics.lost());
    json.writeObjectFieldStart("total");
    writeCounts(json, all.total());
    json.writeEndObject();
    json.writeNumberField("policyCount", policies.size());
    json.writeArrayFieldStart("policies");
    for (PolicyCounts policy : policies.subList(0, Math.min(most, policies.size()))) {
      json.writeStartObject();
      writePolicy(json, policy);
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writePolicy(JsonGenerator json, PolicyCounts policy) throws IOException {
    json.writeStringField("policy", policy.policy());
    json.writeBooleanField("detailed", policy.detailed());
    writeCounts(json, policy);
  }

  private static void writeCounts(JsonGenerator json, PolicyCounts policy) throws IOException {
    for (Measure measure : Measure.values()) {
      Counts counts = policy.of(measure);
      json.writeObjectFieldStart(measure.id());
      json.writeNumberField("perSecond", counts.perSecond());
      json.writeNumberField("minute", counts.minute());
      json.writeNumberField("hour", counts.hour());
      json.writeNumberField("day", counts.day());
      json.writeEndObject();
    }
  }

  /** Reports everything about a policy. */
  void policy(Exchange exchange, List<String> parameters) {
    guard.admit(exchange);
    query(exchange, Set.of());
    String policy = name(PercentEncoding.decoded("policy", parameters.get(0)));
    Statistics statistics = statistics();
    answer(exchange, () -> detail(statistics, policy));
  }

  private Buffer detail(Statistics statistics, String policy) {
    PolicyDetail detail = statistics.detail(policy);
    if (detail != null) {
      return Json.object(json -> writeDetail(json, detail));
    }
    PolicyCounts counts = statistics.counts(policy);
    if (counts != null) {
      return Json.object(json -> writePolicy(json, counts));
    }
    if (!engine.configuration().policies().containsKey(policy)) {
      throw new UnknownPolicyException(policy);
    }
    return Json.object(json -> writePolicy(json, new PolicyCounts(policy, false, Map.of())));
  }

  private static void writeDetail(JsonGenerator json, PolicyDetail detail) throws IOException {
    writePolicy(json, detail.counts());
    writeSeries(json, "seconds", 1_000, detail.nowMillis(), detail.seconds());
    writeSeries(json, "minutes", 60_000, detail.nowMillis(), detail.minutes());
    json.writeObjectFieldStart("peakUse");
    writePeaks(json, "hour", detail.hourPeaks());
    writePeaks(json, "day", detail.dayPeaks());
    json.writeEndObject();
    writeKeys(json, "spenders", detail.spenders());
    writeKeys(json, "deniedKeys", detail.denied());
  }

  private static void writeSeries(
      JsonGenerator json, String name, long stepMillis, long nowMillis, Map<Measure, long[]> series)
      throws IOException {
    json.writeObjectFieldStart(name);
    json.writeNumberField("stepMs", stepMillis);
    json.writeStringField(
        "lastBegins",
        Instant.ofEpochMilli(Math.floorDiv(nowMillis, stepMillis) * stepMillis).toString());
    for (Map.Entry<Measure, long[]> entry : series.entrySet()) {
      json.writeFieldName(entry.getKey().id());
      json.writeArray(entry.getValue(), 0, entry.getValue().length);
    }
    json.writeEndObject();
  }

  private static void writePeaks(JsonGenerator json, String name, PeakUse.Summary peaks)
      throws IOException {
    json.writeObjectFieldStart(name);
    json.writeNumberField("keys", peaks.keys());
    json.writeNumberField("deniedKeys", peaks.denied());
    json.writeBooleanField("exact", peaks.exact());
    json.writeNumberField("above50", peaks.above50());
    json.writeNumberField("above80", peaks.above80());
    json.writeNumberField("above100", peaks.above100());
    json.writeEndObject();
  }

  private static void writeKeys(JsonGenerator json, String name, TopKeys top) throws IOException {
    json.writeObjectFieldStart(name);
    json.writeNumberField("total", top.total());
    json.writeNumberField("maxError", top.maxError());
    json.writeArrayFieldStart("keys");
    for (TopKey key : top.keys()) {
      json.writeStartObject();
      json.writeStringField("key", key.key());
      json.writeNumberField("count", key.count());
      json.writeNumberField("error", key.error());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /** Reports the latest denials. */
  void denials(Exchange exchange) {
    guard.admit(exchange);
    Map<String, String> query = query(exchange, Set.of("policy", "limit"));
    String given = query.get("policy");
    String policy = given == null ? null : name(given);
    int most = limit(query, RecentDenials.MOST);
    Statistics statistics = statistics();
    answer(exchange, () -> denials(statistics.denials(policy, most)));
  }

  private static Buffer denials(List<Denial> denials) {
    return Json.object(
        json -> {
          json.writeArrayFieldStart("denials");
          for (Denial denial : denials) {
            writeDenial(json, denial);
          }
          json.writeEndArray();
        });
  }

  private static void writeDenial(JsonGenerator json, Denial denial) throws IOException {
    json.writeStartObject();
    json.writeStringField("time", Instant.ofEpochMilli(denial.timeMillis()).toString());
    json.writeStringField("policy", denial.policy());
    if (denial.key() != null) {
      json.writeStringField("key", denial.key());
    }
    json.writeNumberField("permits", denial.permits());
    if (denial.limit() != null) {
      json.writeStringField("decidedBy", denial.limit().toString());
      json.writeNumberField("limit", denial.limit().capacity());
      json.writeNumberField("used", denial.used());
    }
    if (denial.retryAfterMicros() == Long.MAX_VALUE) {
      json.writeNullField("retryAfterMs");
    } else {
      json.writeNumberField("retryAfterMs", (denial.retryAfterMicros() + 999) / 1_000);
    }
    json.writeBooleanField("shadow", denial.shadow());
    json.writeEndObject();
  }

  private Statistics statistics() {
    Statistics statistics = engine.statistics();
    if (statistics == null) {
      throw new Refusal(404, "there are no statistics: the server was started without them");
    }
    return statistics;
  }

  private void answer(Exchange exchange, Supplier<Buffer> body) {
    exchange.after(
        CompletableFuture.supplyAsync(body, worker),
        buffer -> exchange.answer(200, Exchange.JSON, buffer, Outcome.DONE));
  }

  private static Map<String, String> query(Exchange exchange, Set<String> allowed) {
    Map<String, String> query = PercentEncoding.parameters(exchange.request().query());
    if (!allowed.containsAll(query.keySet())) {
      throw Refusal.bad(
          allowed.isEmpty()
              ? "query must have no parameters, has one"
              : "query must have no parameters but "
                  + String.join(" and ", allowed.stream().sorted().toList())
                  + ", has another");
    }
    return query;
  }

  private static String name(String policy) {
    if (!policy.matches(POLICY)) {
      throw Refusal.bad(
          "policy must be 1 to 64 letters, digits, dots, hyphens and underscores, is something"
              + " else");
    }
    return policy;
  }

  private static int limit(Map<String, String> query, int most) {
    String text = query.get("limit");
    if (text == null) {
      return USUAL;
    }
    boolean number = text.matches("[0-9]{1,9}");
    if (!number || Integer.parseInt(text) < 1 || Integer.parseInt(text) > most) {
      throw Refusal.bad(
          "limit must be a whole number between 1 and "
              + most
              + (number ? ", was " + text : ", was something else"));
    }
    return Integer.parseInt(text);
  }
}
