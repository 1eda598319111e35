package dev.sash.server.http.override;

import static dev.sash.server.http.exchange.JsonBody.expectObject;
import static dev.sash.server.http.exchange.JsonBody.limits;
import static dev.sash.server.http.exchange.JsonBody.once;
import static dev.sash.server.http.exchange.JsonBody.read;
import static dev.sash.server.http.exchange.JsonBody.text;
import static dev.sash.server.http.exchange.JsonBody.unknown;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sash.Limit;
import dev.sash.server.http.exchange.Refusal;
import dev.sash.server.override.Effect;
import dev.sash.server.override.Instants;
import dev.sash.server.override.KeyOverride;
import dev.sash.server.override.Target;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads what operators send, strictly, as checks are read. */
public final class OverrideReader {
  static final String SET_FIELDS =
      "key, prefix, effect, limits, reason, author, expiresIn, expiresAt";
  static final String REMOVE_FIELDS = "key, prefix, reason, author";

  private static final String UNSTATED = "not stated";

  /**
   * A request to remove an override.
   *
   * @param target its keys
   * @param author who removes it
   * @param reason why; {@code not stated} unless given
   */
  public record Removal(Target target, String author, String reason) {}

  private OverrideReader() {}

  /**
   * Reads an override.
   *
   * @param policy the policy's name
   * @param now the time at which it is set
   * @throws Refusal if the body is not an override
   */
  public static KeyOverride override(String policy, byte[] body, Instant now) {
    Fields fields = fields(body, SET_FIELDS);
    return valid(
        () ->
            new KeyOverride(
                fields.target(policy),
                fields.effect(),
                fields.limits == null ? List.of() : fields.limits,
                fields.required("reason"),
                fields.required("author"),
                now,
                fields.expiry(now)));
  }

  /**
   * Reads the removal of an override.
   *
   * @param policy the policy's name
   * @throws Refusal if the body is not a removal
   */
  public static Removal removal(String policy, byte[] body) {
    Fields fields = fields(body, REMOVE_FIELDS);
    return valid(
        () ->
            new Removal(
                fields.target(policy),
                KeyOverride.checkAuthor(fields.required("author")),
                KeyOverride.checkReason(fields.texts.getOrDefault("reason", UNSTATED))));
  }

  private static <T> T valid(Supplier<T> value) {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      throw Refusal.bad(String.valueOf(e.getMessage()));
    }
  }

  private static Fields fields(byte[] body, String allowed) {
    return read(body, parser -> fields(parser, List.of(allowed.split(", ")), allowed));
  }

  private static Fields fields(JsonParser parser, List<String> known, String allowed)
      throws IOException {
    expectObject(parser.nextToken(), "body");
    Map<String, String> texts = new HashMap<>();
    List<Limit> limits = null;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      if (!known.contains(name)) {
        throw unknown(name, allowed);
      }
      if (name.equals("limits")) {
        once(name, limits);
        limits = limits(parser, value);
      } else {
        once(name, texts.put(name, text(parser, name, value)));
      }
    }
    return new Fields(texts, limits);
  }

  private record Fields(Map<String, String> texts, @Nullable List<Limit> limits) {
    String required(String name) {
      String text = texts.get(name);
      if (text == null) {
        throw Refusal.bad(name + " must be given");
      }
      return text;
    }

    Target target(String policy) {
      String key = texts.get("key");
      String prefix = texts.get("prefix");
      if (key != null && prefix == null) {
        return new Target(policy, key, false);
      }
      if (prefix != null && key == null) {
        return new Target(policy, prefix, true);
      }
      throw Refusal.bad(
          "key or prefix must be given, " + (key == null ? "neither is" : "and not both"));
    }

    Effect effect() {
      String effect = texts.get("effect");
      if (effect != null) {
        return Effect.of(effect);
      }
      if (limits == null) {
        throw Refusal.bad("limits, or the effect unlimited or block, must be given");
      }
      return Effect.LIMITS;
    }

    @Nullable Instant expiry(Instant now) {
      String in = texts.get("expiresIn");
      String at = texts.get("expiresAt");
      if (in != null && at != null) {
        throw Refusal.bad("expiresIn and expiresAt must not both be given");
      }
      if (in != null) {
        return now.plus(Limit.parseWindow(in));
      }
      return at == null ? null : Instants.parse(at);
    }
  }
}
