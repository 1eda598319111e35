package dev.sash.server.resp.command;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.server.access.Right;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.engine.CheckResult;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Reason;
import dev.sash.server.engine.Refunds;
import dev.sash.server.engine.UnknownPolicyException;
import dev.sash.server.resp.codec.CommandException;
import dev.sash.server.resp.codec.ReplyWriter;
import dev.sash.server.resp.codec.Request;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The commands that use the policies of the configuration.
 *
 * <p>{@code SASH.CHECK}, {@code SASH.PEEK} and {@code SASH.REFUND} reply with six elements: allowed
 * (1 or 0), limit, remaining, milliseconds until a retry (0 if allowed, −1 if no waiting helps),
 * milliseconds until nothing is charged, and what decided. With {@code RECEIPT}, {@code SASH.CHECK}
 * replies with a seventh: a receipt by which the permits can be returned, or null.
 */
final class DecisionCommands {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final String RECEIPT = "receipt";

  private final Engine engine;
  private final Refunds refunds;
  private final Authenticator authenticator;
  private final Map<Source, byte[]> sources = new EnumMap<>(Source.class);
  private final Map<Reason, byte[]> reasons = new EnumMap<>(Reason.class);

  DecisionCommands(Engine engine, Refunds refunds, Authenticator authenticator) {
    this.engine = engine;
    this.refunds = refunds;
    this.authenticator = authenticator;
    for (Source source : Source.values()) {
      String word = source.name().toLowerCase(Locale.ROOT).replace('_', '-');
      sources.put(source, word.getBytes(US_ASCII));
    }
    for (Reason reason : Reason.values()) {
      reasons.put(reason, reason.id().getBytes(US_ASCII));
    }
  }

  List<Command> commands() {
    List<String> key = List.of("policy", "key");
    List<String> check = List.of("policy", "key", "[permits]", "[RECEIPT]");
    List<String> refund = List.of("policy", "key", "[permits]", "[RECEIPT receipt]");
    return List.of(
        Command.ofKey(
            "sash.check", check, "Spends permits if they fit", this::checkCheck, this::check),
        Command.ofKey("sash.peek", key, "Returns the state of a key", this::checkKey, this::peek),
        Command.ofKey(
                "sash.refund", refund, "Returns permits to a key", this::checkRefund, this::refund)
            .onlyIf(this::checkRefundRight),
        Command.ofKey("sash.reset", key, "Resets a key", this::checkKey, this::reset)
            .onlyIf((request, client) -> authenticator.require(Right.ADMIN, client)));
  }

  private void checkKey(Request request, Conversation client) {
    String policy = request.text(1, "policy");
    request.text(2, "key");
    if (!engine.configuration().policies().containsKey(policy)) {
      throw new UnknownPolicyException(policy);
    }
    request.checkKey(2);
  }

  private void checkCheck(Request request, Conversation client) {
    checkKey(request, client);
    if (receiptAt(request, 1) > 0) {
      refunds.requireReceipts();
    }
    permits(request, receiptAt(request, 1));
  }

  private void checkRefund(Request request, Conversation client) {
    checkKey(request, client);
    permits(request, receiptAt(request, 2));
  }

  /** A receipt is a right of its own. */
  private void checkRefundRight(Request request, Conversation client) {
    if (receiptAt(request, 2) == 0) {
      authenticator.require(Right.REFUND, client);
    }
  }

  /** Returns where RECEIPT begins the last words of a request; 0 if it does not. */
  private static int receiptAt(Request request, int words) {
    int at = request.size() - words;
    return at > 2 && request.length(at) == RECEIPT.length() && request.word(at).equals(RECEIPT)
        ? at
        : 0;
  }

  /** Returns the permits, which stand between the key and what is at an index, if that is not 0. */
  private static @Nullable Long permits(Request request, int end) {
    int words = (end == 0 ? request.size() : end) - 3;
    if (words > 1) {
      throw CommandException.of("syntax error");
    }
    return words == 0 ? null : request.number(3, "permits", 0, Request.MAX_PERMITS);
  }

  private PendingReply<CheckResult> check(Request request, Conversation client, ReplyWriter reply) {
    int receiptAt = receiptAt(request, 1);
    CheckRequest question = question(request, permits(request, receiptAt));
    if (receiptAt == 0) {
      return new PendingReply<>(engine.check(question), this::write);
    }
    refunds.requireReceipts();
    return new PendingReply<>(engine.check(question), this::writeWithReceipt);
  }

  private PendingReply<CheckResult> peek(Request request, Conversation client, ReplyWriter reply) {
    return new PendingReply<>(engine.check(question(request, 0L)), this::write);
  }

  private PendingReply<CheckResult> refund(
      Request request, Conversation client, ReplyWriter reply) {
    int receiptAt = receiptAt(request, 2);
    CheckRequest question = question(request, permits(request, receiptAt));
    return new PendingReply<>(
        receiptAt == 0
            ? engine.refund(question)
            : refunds.redeem(question, request.text(receiptAt + 1, "receipt")),
        this::write);
  }

  private @Nullable PendingReply<?> reset(Request request, Conversation client, ReplyWriter reply) {
    return new PendingReply<>(
        engine.reset(question(request, null)).thenApply(nothing -> "OK"),
        (ok, writer) -> writer.simple(ok));
  }

  private static CheckRequest question(Request request, @Nullable Long permits) {
    return CheckRequest.of(request.text(1, "policy"), request.text(2, "key"), permits);
  }

  private void writeWithReceipt(CheckResult answer, ReplyWriter reply) {
    String receipt = refunds.receiptFor(answer);
    reply.array(7);
    writeElements(answer, reply);
    if (receipt == null) {
      reply.nothing();
    } else {
      reply.bulk(receipt);
    }
  }

  private void write(CheckResult answer, ReplyWriter reply) {
    reply.array(6);
    writeElements(answer, reply);
  }

  private void writeElements(CheckResult answer, ReplyWriter reply) {
    Decision decision = answer.decision();
    reply.integer(answer.allowed() ? 1 : 0);
    reply.integer(decision.limit());
    reply.integer(decision.remaining());
    reply.integer(answer.allowed() ? 0 : retryMillis(decision));
    reply.integer(millis(decision.resetAfter()));
    reply.bulk(decidedBy(answer));
  }

  private static long retryMillis(Decision decision) {
    return decision.neverAllowed() ? -1 : millis(decision.retryAfter());
  }

  /** Rounds up, so that a retry is not too early. */
  private static long millis(Duration duration) {
    return duration.toSeconds() * 1_000
        + (duration.toNanosPart() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
  }

  private byte[] decidedBy(CheckResult answer) {
    return Objects.requireNonNull(
        answer.reason() == Reason.LIMIT
            ? sources.get(answer.decision().source())
            : reasons.get(answer.reason()));
  }
}
