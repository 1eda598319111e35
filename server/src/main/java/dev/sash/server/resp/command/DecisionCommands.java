package dev.sash.server.resp.command;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.server.access.Right;
import dev.sash.server.engine.Answer;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Question;
import dev.sash.server.engine.Reason;
import dev.sash.server.engine.UnknownPolicyException;
import dev.sash.server.resp.codec.ReplyWriter;
import dev.sash.server.resp.codec.Request;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The commands that use the policies of the configuration.
 *
 * <p>{@code SASH.CHECK}, {@code SASH.PEEK} and {@code SASH.REFUND} reply with six elements: allowed
 * (1 or 0), limit, remaining, milliseconds until a retry (0 if allowed, −1 if no waiting helps),
 * milliseconds until nothing is charged, and what decided.
 */
final class DecisionCommands {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Engine engine;
  private final Authenticator authenticator;
  private final Map<Source, byte[]> sources = new EnumMap<>(Source.class);
  private final Map<Reason, byte[]> reasons = new EnumMap<>(Reason.class);

  DecisionCommands(Engine engine, Authenticator authenticator) {
    this.engine = engine;
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
    List<String> permits = List.of("policy", "key", "[permits]");
    List<String> key = List.of("policy", "key");
    return List.of(
        command("sash.check", permits, "Spends permits if they fit", asking(engine::check)),
        command("sash.peek", key, "Returns the state of a key", this::peek),
        command("sash.refund", permits, "Returns permits to a key", asking(engine::refund))
            .onlyIf((request, client) -> authenticator.require(Right.REFUND, client)),
        command("sash.reset", key, "Resets a key", this::reset)
            .onlyIf((request, client) -> authenticator.require(Right.ADMIN, client)));
  }

  private Command command(
      String name, List<String> arguments, String summary, Command.Action action) {
    return Command.ofKey(name, arguments, summary, this::checkSyntax, action);
  }

  private void checkSyntax(Request request, Conversation client) {
    Question question = question(request, permits(request));
    if (!engine.configuration().policies().containsKey(question.policy())) {
      throw new UnknownPolicyException(question.policy());
    }
    request.checkKey(2);
  }

  private Command.Action asking(Function<Question, CompletionStage<Answer>> ask) {
    return (request, client, reply) -> {
      Question question = question(request, permits(request));
      return new PendingReply<>(ask.apply(question), this::write);
    };
  }

  private static @Nullable Long permits(Request request) {
    return request.size() > 3 ? request.number(3, "permits", 0, Request.MAX_PERMITS) : null;
  }

  private PendingReply<Answer> peek(Request request, Conversation client, ReplyWriter reply) {
    return new PendingReply<>(engine.check(question(request, 0L)), this::write);
  }

  private @Nullable PendingReply<?> reset(Request request, Conversation client, ReplyWriter reply) {
    return new PendingReply<>(
        engine.reset(question(request, null)).thenApply(nothing -> "OK"),
        (ok, writer) -> writer.simple(ok));
  }

  private static Question question(Request request, @Nullable Long permits) {
    return Question.of(request.text(1, "policy"), request.text(2, "key"), permits);
  }

  private void write(Answer answer, ReplyWriter reply) {
    Decision decision = answer.decision();
    reply.array(6);
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

  private byte[] decidedBy(Answer answer) {
    return Objects.requireNonNull(
        answer.reason() == Reason.LIMIT
            ? sources.get(answer.decision().source())
            : reasons.get(answer.reason()));
  }
}
