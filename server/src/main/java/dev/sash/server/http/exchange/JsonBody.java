package dev.sash.server.http.exchange;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.sash.Limit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON of request bodies, strictly and within bounds. Whatever is sent, a {@link Refusal}
 * is the worst that happens.
 */
public final class JsonBody {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          // Names are the client's to choose: they shall not live in the JVM for ever.
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          // Always UTF-8, as RFC 8259 has it; what else is guessed can fail in ways of its own.
          .disable(JsonFactory.Feature.CHARSET_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(16)
                  .maxNumberLength(32)
                  .maxNameLength(256)
                  .maxStringLength(16 * 1024)
                  .build())
          .build();

  private static final int MOST_LIMITS = 8;

  private JsonBody() {}

  /** Reads something. */
  public interface Reading<T> {
    /** Reads it from the beginning. */
    T from(JsonParser parser) throws IOException;
  }

  /** Reads a body, of which the reading must leave nothing. */
  public static <T> T read(byte[] body, Reading<T> reading) {
    try (JsonParser parser = JSON.createParser(body)) {
      T result = reading.from(parser);
      if (parser.nextToken() != null) {
        throw Refusal.bad("body must end after its object, has more");
      }
      return result;
    } catch (JsonProcessingException e) {
      throw malformed(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is nothing that could fail to be read
    }
  }

  private static Refusal malformed(JsonProcessingException e) {
    JsonLocation at = e.getLocation();
    String place = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
    return Refusal.bad("body must be JSON" + place + ": " + e.getOriginalMessage());
  }

  /** Reads 1 to 8 limits, each as text. */
  public static List<Limit> limits(JsonParser parser, JsonToken value) throws IOException {
    if (value != JsonToken.START_ARRAY) {
      throw Refusal.bad("limits must be an array such as [\"10/1m\"], was " + typeOf(value));
    }
    List<Limit> limits = new ArrayList<>(1);
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      if (limits.size() == MOST_LIMITS) {
        throw Refusal.bad("limits must be at most " + MOST_LIMITS + ", are more");
      }
      limits.add(limit(text(parser, "limits", token)));
    }
    if (limits.isEmpty()) {
      throw Refusal.bad("limits must be 1 or more, were 0");
    }
    return List.copyOf(limits);
  }

  private static Limit limit(String text) {
    try {
      return Limit.parse(text);
    } catch (IllegalArgumentException e) {
      throw Refusal.bad(String.valueOf(e.getMessage()));
    }
  }

  /** Reads a text. */
  public static String text(JsonParser parser, String name, JsonToken value) throws IOException {
    if (value != JsonToken.VALUE_STRING) {
      throw Refusal.bad(quotable(name) + " must be a string, was " + typeOf(value));
    }
    return parser.getText();
  }

  /** Refuses anything but the beginning of an object. */
  public static void expectObject(@Nullable JsonToken token, String what) {
    if (token != JsonToken.START_OBJECT) {
      throw Refusal.bad(
          what + " must be an object, was " + (token == null ? "empty" : typeOf(token)));
    }
  }

  /** Refuses a field that was there before. */
  public static void once(String name, @Nullable Object before) {
    if (before != null) {
      throw Refusal.bad(quotable(name) + " must be given only once");
    }
  }

  /** Returns the refusal of an unknown field. */
  public static Refusal unknown(String name, String allowed) {
    return Refusal.bad("unknown field '" + quotable(name) + "': allowed are " + allowed);
  }

  /** Enough of a name to find it. */
  public static String quotable(String name) {
    return name.length() <= 64 ? name : name.substring(0, 64) + "...";
  }

  /** Returns the type of a value, for messages. */
  public static String typeOf(JsonToken token) {
    return switch (token) {
      case START_OBJECT, END_OBJECT -> "an object";
      case START_ARRAY, END_ARRAY -> "an array";
      case VALUE_STRING -> "a string";
      case VALUE_NUMBER_INT -> "a number";
      case VALUE_NUMBER_FLOAT -> "a fraction";
      case VALUE_TRUE, VALUE_FALSE -> "a boolean";
      default -> "null";
    };
  }
}
