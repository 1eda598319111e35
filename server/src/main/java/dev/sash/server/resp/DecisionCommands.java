package dev.sash.server.resp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.server.engine.Answer;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Question;
import dev.sash.server.engine.Reason;
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
 * The commands that ask policies of the configuration.
 *
 * <p>{@code SASH.CHECK}, {@code SASH.PEEK} and {@code SASH.REFUND} reply with six elements: allowed
 * (1 or 0), limit, remaining, milliseconds until a retry (0 if allowed, −1 if no waiting helps),
 * milliseconds until nothing is charged, and who decided.
 */
final class DecisionCommands {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Engine engine;
  private final Map<Source, byte[]> sources = new EnumMap<>(Source.class);
  private final Map<Reason, byte[]> reasons = new EnumMap<>(Reason.class);

  DecisionCommands(Engine engine) {
    this.engine = engine;
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
        new Command(
            "sash.check", 3, 4, 2, permits, "Spends permits, if they fit", asking(engine::check)),
        new Command("sash.peek", 3, 3, 2, key, "Looks without spending", this::peek),
        new Command("sash.refund", 3, 4, 2, permits, "Gives permits back", asking(engine::refund)),
        new Command("sash.reset", 3, 3, 2, key, "Forgets a key", this::reset));
  }

  private Command.Action asking(Function<Question, CompletionStage<Answer>> ask) {
    return (request, client, reply) -> {
      Long permits = request.size() > 3 ? request.number(3, "permits") : null;
      return new Later<>(ask.apply(question(request, permits)), this::write);
    };
  }

  private Later<Answer> peek(Request request, Conversation client, ReplyWriter reply) {
    return new Later<>(engine.check(question(request, 0L)), this::write);
  }

  private @Nullable Later<?> reset(Request request, Conversation client, ReplyWriter reply) {
    if (!client.session().isAuthenticated() && !client.wire().isLoopback()) {
      throw new CommandException(
          "NOPERM", "only those who have told the password, or are on the same machine, may reset");
    }
    return new Later<>(
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

  /** Rounded up: who comes back then is not too early. */
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
