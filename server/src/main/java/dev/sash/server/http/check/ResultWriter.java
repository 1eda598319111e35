package dev.sash.server.http.check;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.server.engine.CheckResult;
import dev.sash.server.engine.Reason;
import dev.sash.server.http.exchange.JsonBytes;
import dev.sash.server.override.Effect;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Writes results as JSON. Everything in them is a number, a fixed word or a policy's name, which is
 * why ADR 10 prefers this to Jackson's generator.
 */
public final class ResultWriter {
  private static final byte[] ALLOWED = ascii("\"allowed\":true,\"policy\":\"");
  private static final byte[] DENIED = ascii("\"allowed\":false,\"policy\":\"");
  private static final byte[] LIMIT = ascii("\",\"limit\":");
  private static final byte[] REMAINING = ascii(",\"remaining\":");
  private static final byte[] USED = ascii(",\"used\":");
  private static final byte[] CURRENT_COUNT = ascii(",\"currentCount\":");
  private static final byte[] RETRY_AFTER = ascii(",\"retryAfterMs\":");
  private static final byte[] RESET_AFTER = ascii(",\"resetAfterMs\":");
  private static final byte[] TTL = ascii(",\"ttl\":");
  private static final byte[] NULL = ascii("null");
  private static final Map<Source, byte[]> SOURCES = new EnumMap<>(Source.class);
  private static final Map<Reason, byte[]> REASONS = new EnumMap<>(Reason.class);
  private static final Map<Effect, byte[]> OVERRIDES = new EnumMap<>(Effect.class);

  static {
    for (Source source : Source.values()) {
      SOURCES.put(source, ascii(",\"source\":\"" + word(source) + '"'));
    }
    for (Reason reason : Reason.values()) {
      REASONS.put(
          reason,
          reason == Reason.LIMIT ? new byte[0] : ascii(",\"reason\":\"" + reason.id() + '"'));
    }
    for (Effect effect : Effect.values()) {
      OVERRIDES.put(effect, ascii(",\"override\":\"" + effect.id() + '"'));
    }
  }

  private ResultWriter() {}

  /** The fields of an answer, without braces around them. */
  public static void write(JsonBytes json, CheckResult answer) {
    Decision decision = answer.decision();
    json.put(answer.allowed() ? ALLOWED : DENIED)
        .putPlain(answer.policy())
        .put(LIMIT)
        .put(decision.limit())
        .put(REMAINING)
        .put(decision.remaining())
        .put(USED)
        .put(decision.used())
        .put(CURRENT_COUNT)
        .put(decision.used())
        .put(RETRY_AFTER);
    if (decision.neverAllowed()) {
      json.put(NULL); // no number of milliseconds would be true
    } else {
      json.put(ceilMillis(decision.retryAfter()));
    }
    Duration reset = decision.resetAfter();
    json.put(RESET_AFTER)
        .put(ceilMillis(reset))
        .put(TTL)
        .put(reset.getSeconds() + (reset.getNano() > 0 ? 1 : 0))
        .put(Objects.requireNonNull(SOURCES.get(decision.source())))
        .put(Objects.requireNonNull(REASONS.get(answer.reason())));
    if (answer.override() != null) {
      json.put(Objects.requireNonNull(OVERRIDES.get(answer.override())));
    }
  }

  static String word(Source source) {
    return source.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static long ceilMillis(Duration duration) {
    return duration.getSeconds() * 1_000 + (duration.getNano() + 999_999) / 1_000_000;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }
}
