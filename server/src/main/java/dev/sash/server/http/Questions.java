package dev.sash.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.Limit;
import dev.sash.server.access.Right;
import dev.sash.server.engine.AdHocLimits;
import dev.sash.server.engine.Answer;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Refunds;
import dev.sash.server.http.AskReader.Form;
import dev.sash.server.http.AskReader.Item;
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

/** Answers questions: check, peek and refund, one by one or many at once. For one event loop. */
final class Questions {
  private static final String ATTRIBUTE = "attr.";
  private static final byte[] RECEIPT = ",\"receipt\":\"".getBytes(US_ASCII);
  private static final byte[] RESULTS = "{\"results\":[".getBytes(US_ASCII);
  private static final byte[] STATUS_200 = "{\"status\":200,".getBytes(US_ASCII);
  private static final byte[] STATUS_429 = "{\"status\":429,".getBytes(US_ASCII);

  private final Engine engine;
  private final AdHocLimits adHoc;
  private final Refunds refunds;
  private final AdminGuard guard;
  private final JsonBytes json = new JsonBytes();

  Questions(Engine engine, Refunds refunds, AdminGuard guard) {
    this.engine = engine;
    this.refunds = refunds;
    this.guard = guard;
    this.adHoc = new AdHocLimits(engine);
  }

  void check(Exchange exchange, byte[] body) {
    check(exchange, AskReader.one(body, Form.CHECK));
  }

  /** The question of whoever has nothing but a shell. */
  void checkByPath(Exchange exchange, List<String> parameters) {
    check(exchange, byPath(parameters, exchange.request().query()));
  }

  private void check(Exchange exchange, Ask ask) {
    exchange.after(check(ask), answer -> decided(exchange, answer, ask.wantsReceipt()));
  }

  void peek(Exchange exchange, byte[] body) {
    Ask ask = AskReader.one(body, Form.LOOK).withPermits(0);
    exchange.after(check(ask), answer -> told(exchange, answer));
  }

  /** Gives permits back to a caller with the right to do so, or with a receipt. */
  void refund(Exchange exchange, byte[] body) {
    Ask ask = AskReader.one(body, Form.REFUND);
    String receipt = ask.receipt();
    if (receipt == null) {
      guard.admit(exchange, Right.REFUND);
      exchange.after(refund(ask), answer -> told(exchange, answer));
    } else {
      exchange.after(refunds.redeem(ask.question(), receipt), answer -> told(exchange, answer));
    }
  }

  private CompletionStage<Answer> refund(Ask ask) {
    List<Limit> limits = ask.limits();
    return limits == null
        ? engine.refund(ask.question())
        : adHoc.refund(Objects.requireNonNull(ask.key()), permits(ask), limits);
  }

  void batch(Exchange exchange, byte[] body) {
    List<Item> items = AskReader.batch(body);
    List<CompletableFuture<Answer>> answers = new ArrayList<>(items.size());
    boolean done = true;
    for (Item item : items) {
      CompletableFuture<Answer> answer = check(item);
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

  CompletionStage<Answer> check(Ask ask) {
    if (ask.wantsReceipt()) {
      refunds.requireReceipts();
    }
    List<Limit> limits = ask.limits();
    return limits == null
        ? engine.check(ask.question())
        : adHoc.check(Objects.requireNonNull(ask.key()), permits(ask), limits);
  }

  CompletionStage<Void> reset(Ask ask) {
    List<Limit> limits = ask.limits();
    return limits == null
        ? engine.reset(ask.question())
        : adHoc.reset(Objects.requireNonNull(ask.key()), limits);
  }

  private static long permits(Ask ask) {
    return ask.permits() == null ? 1 : ask.permits();
  }

  /** Never throws: what is wrong with one item is its own answer. */
  private CompletableFuture<Answer> check(Item item) {
    try {
      return item.ask() == null
          ? CompletableFuture.failedFuture(Objects.requireNonNull(item.refusal()))
          : check(item.ask()).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** A question in a path and a query: {@code /api/ann?permits=3&attr.plan=pro}. */
  static Ask byPath(List<String> parameters, @Nullable String query) {
    String policy = PercentEncoding.decoded("policy", parameters.get(0));
    String key = PercentEncoding.decoded("key", parameters.get(1));
    Long permits = null;
    Map<String, String> attributes = new HashMap<>();
    for (Map.Entry<String, String> parameter : PercentEncoding.parameters(query).entrySet()) {
      String name = parameter.getKey();
      if (name.equals("permits")) {
        permits = permits(parameter.getValue());
      } else if (name.startsWith(ATTRIBUTE)) {
        attributes.put(name.substring(ATTRIBUTE.length()), parameter.getValue());
      } else {
        throw Refusal.bad("query must have no parameters but permits and attr.<name>, has another");
      }
    }
    return new Ask(policy, key, permits, attributes, null);
  }

  static long permits(String text) {
    boolean digits = !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    if (!digits || text.length() > 10) {
      throw Refusal.bad("permits must be a whole number between 0 and 1000000000");
    }
    return Long.parseLong(text);
  }

  /** A decision: the status says it too. */
  private void decided(Exchange exchange, Answer answer, boolean wantsReceipt) {
    Fields.write(exchange, answer);
    json.clear().put('{');
    write(answer, wantsReceipt);
    exchange.answer(
        answer.allowed() ? 200 : 429,
        Exchange.JSON,
        json.put('}').toBuffer(),
        answer.allowed() ? Outcome.ALLOWED : Outcome.DENIED);
  }

  private void write(Answer answer, boolean wantsReceipt) {
    AnswerWriter.write(json, answer);
    String receipt = wantsReceipt ? refunds.receiptFor(answer) : null;
    if (receipt != null) {
      json.put(RECEIPT).putPlain(receipt).put('"');
    }
  }

  /** A state that was asked for. */
  private void told(Exchange exchange, Answer answer) {
    Fields.write(exchange, answer);
    json.clear().put('{');
    AnswerWriter.write(json, answer);
    exchange.answer(200, Exchange.JSON, json.put('}').toBuffer(), Outcome.DONE);
  }

  private void answerAll(
      Exchange exchange, List<Item> items, List<CompletableFuture<Answer>> answers) {
    json.clear().put(RESULTS);
    for (int i = 0; i < answers.size(); i++) {
      CompletableFuture<Answer> future = answers.get(i);
      if (i > 0) {
        json.put(',');
      }
      if (future.isCompletedExceptionally()) {
        Refusal refusal = refusal(future);
        Exchange.problemFields(json.put('{'), refusal.status(), "about:blank", refusal.detail());
      } else {
        Answer answer = future.join();
        json.put(answer.allowed() ? STATUS_200 : STATUS_429);
        Ask ask = items.get(i).ask();
        write(answer, ask != null && ask.wantsReceipt());
      }
      json.put('}');
    }
    exchange.answer(200, Exchange.JSON, json.put(']').put('}').toBuffer(), Outcome.DONE);
  }

  private static Refusal refusal(CompletableFuture<Answer> failed) {
    try {
      failed.join();
      throw new IllegalStateException("did not fail");
    } catch (CompletionException e) {
      return Exchange.refusal(e.getCause() == null ? e : e.getCause());
    }
  }
}
