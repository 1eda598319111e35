package dev.sash.server.http.check;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.server.access.Right;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.engine.CheckResult;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Refunds;
import dev.sash.server.http.check.CheckReader.Form;
import dev.sash.server.http.check.CheckReader.Item;
import dev.sash.server.http.exchange.Exchange;
import dev.sash.server.http.exchange.JsonBytes;
import dev.sash.server.http.exchange.PercentEncoding;
import dev.sash.server.http.exchange.Refusal;
import dev.sash.server.http.exchange.ResponseFields;
import dev.sash.server.http.guard.AdminGuard;
import dev.sash.server.metrics.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Handles check, peek and refund, one by one or many at once. For one event loop. */
public final class Checks {
  private static final String ATTRIBUTE = "attr.";
  private static final byte[] RECEIPT = ",\"receipt\":\"".getBytes(US_ASCII);
  private static final byte[] RESULTS = "{\"results\":[".getBytes(US_ASCII);
  private static final byte[] STATUS_200 = "{\"status\":200,".getBytes(US_ASCII);
  private static final byte[] STATUS_429 = "{\"status\":429,".getBytes(US_ASCII);

  private final Engine engine;
  private final Refunds refunds;
  private final AdminGuard guard;
  private final JsonBytes json = new JsonBytes();

  /** Creates handlers. */
  public Checks(Engine engine, Refunds refunds, AdminGuard guard) {
    this.engine = engine;
    this.refunds = refunds;
    this.guard = guard;
  }

  /** Handles a check. */
  public void check(Exchange exchange, byte[] body) {
    check(exchange, CheckReader.one(body, Form.CHECK));
  }

  /** For shells: everything is in the path and the query. */
  public void checkByPath(Exchange exchange, List<String> parameters) {
    check(exchange, new CheckCall(byPath(parameters, exchange.request().query())));
  }

  private void check(Exchange exchange, CheckCall call) {
    exchange.after(check(call), answer -> decided(exchange, answer, call.wantsReceipt()));
  }

  /** Handles a look at what a check would get. */
  public void peek(Exchange exchange, byte[] body) {
    CheckRequest request = CheckReader.one(body, Form.LOOK).request().withPermits(0);
    exchange.after(engine.check(request), answer -> told(exchange, answer));
  }

  /** Gives permits back to a caller with the right to do so, or with a receipt. */
  public void refund(Exchange exchange, byte[] body) {
    CheckCall call = CheckReader.one(body, Form.REFUND);
    String receipt = call.receipt();
    if (receipt == null) {
      guard.admit(exchange, Right.REFUND);
      exchange.after(engine.refund(call.request()), answer -> told(exchange, answer));
    } else {
      exchange.after(refunds.redeem(call.request(), receipt), answer -> told(exchange, answer));
    }
  }

  /** Handles many checks at once. */
  public void batch(Exchange exchange, byte[] body) {
    List<Item> items = CheckReader.batch(body);
    List<CompletableFuture<CheckResult>> answers = new ArrayList<>(items.size());
    boolean done = true;
    for (Item item : items) {
      CompletableFuture<CheckResult> answer = check(item);
      answers.add(answer);
      done &= answer.isDone();
    }
    if (done) {
      answerAll(exchange, items, answers);
    } else {
      CompletableFuture<Void> all =
          CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
      exchange.after(
          all.exceptionally(failure -> null), nothing -> answerAll(exchange, items, answers));
    }
  }

  private CompletionStage<CheckResult> check(CheckCall call) {
    if (call.wantsReceipt()) {
      refunds.requireReceipts();
    }
    return engine.check(call.request());
  }

  /** Never throws: what is wrong with one item is its own answer. */
  private CompletableFuture<CheckResult> check(Item item) {
    try {
      return item.call() == null
          ? CompletableFuture.failedFuture(Objects.requireNonNull(item.refusal()))
          : check(item.call()).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Reads a request from a path and a query: {@code /api/ann?permits=3&attr.plan=pro}. */
  public static CheckRequest byPath(List<String> parameters, @Nullable String query) {
    String policy = PercentEncoding.decoded("policy", parameters.get(0));
    String key = PercentEncoding.decoded("key", parameters.get(1));
    return request(policy, key, PercentEncoding.parameters(query), "permits and attr.<name>");
  }

  /** Reads a request from a query: {@code policy=api&key=ann&permits=3&attr.plan=pro}. */
  public static CheckRequest byQuery(@Nullable String query) {
    Map<String, String> parameters = PercentEncoding.parameters(query);
    String policy = parameters.remove("policy");
    if (policy == null) {
      throw Refusal.bad("query must have the parameter policy");
    }
    String key = parameters.remove("key");
    return request(policy, key, parameters, "policy, key, permits and attr.<name>");
  }

  private static CheckRequest request(
      String policy, @Nullable String key, Map<String, String> parameters, String known) {
    Long permits = null;
    Map<String, String> attributes = new HashMap<>();
    for (Map.Entry<String, String> parameter : parameters.entrySet()) {
      String name = parameter.getKey();
      if (name.equals("permits")) {
        permits = permits(parameter.getValue());
      } else if (name.startsWith(ATTRIBUTE)) {
        attributes.put(name.substring(ATTRIBUTE.length()), parameter.getValue());
      } else {
        throw Refusal.bad("query must have no parameters but " + known + ", has another");
      }
    }
    return new CheckRequest(policy, key, permits, attributes);
  }

  static long permits(String text) {
    boolean digits = !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    if (!digits || text.length() > 10) {
      throw Refusal.bad("permits must be a whole number between 0 and 1000000000");
    }
    return Long.parseLong(text);
  }

  /** Responds with a decision, which the status reports too. */
  private void decided(Exchange exchange, CheckResult answer, boolean wantsReceipt) {
    ResponseFields.write(exchange, answer);
    json.clear().put('{');
    write(answer, wantsReceipt);
    exchange.answer(
        answer.allowed() ? 200 : 429,
        Exchange.JSON,
        json.put('}').toBuffer(),
        answer.allowed() ? Outcome.ALLOWED : Outcome.DENIED);
  }

  private void write(CheckResult answer, boolean wantsReceipt) {
    ResultWriter.write(json, answer);
    String receipt = wantsReceipt ? refunds.receiptFor(answer) : null;
    if (receipt != null) {
      json.put(RECEIPT).putPlain(receipt).put('"');
    }
  }

  /** Responds with a state. */
  private void told(Exchange exchange, CheckResult answer) {
    ResponseFields.write(exchange, answer);
    json.clear().put('{');
    ResultWriter.write(json, answer);
    exchange.answer(200, Exchange.JSON, json.put('}').toBuffer(), Outcome.DONE);
  }

  private void answerAll(
      Exchange exchange, List<Item> items, List<CompletableFuture<CheckResult>> answers) {
    json.clear().put(RESULTS);
    for (int i = 0; i < answers.size(); i++) {
      CompletableFuture<CheckResult> future = answers.get(i);
      if (i > 0) {
        json.put(',');
      }
      if (future.isCompletedExceptionally()) {
        Refusal refusal = refusal(future);
        Exchange.problemFields(json.put('{'), refusal.status(), "about:blank", refusal.detail());
      } else {
        CheckResult answer = future.join();
        json.put(answer.allowed() ? STATUS_200 : STATUS_429);
        CheckCall call = items.get(i).call();
        write(answer, call != null && call.wantsReceipt());
      }
      json.put('}');
    }
    exchange.answer(200, Exchange.JSON, json.put(']').put('}').toBuffer(), Outcome.DONE);
  }

  private static Refusal refusal(CompletableFuture<CheckResult> failed) {
    try {
      failed.join();
      throw new IllegalStateException("did not fail");
    } catch (CompletionException e) {
      return Exchange.refusal(e.getCause() == null ? e : e.getCause());
    }
  }
}
