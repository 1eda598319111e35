package dev.sash.server.override;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.sash.Limit;
import dev.sash.server.override.AuditEntry.Action;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads overrides and actions as JSON: {@code {"format":1,"overrides":[…],"audit":[…]}}.
 * Other processes may write where it is kept, so everything that is read is checked.
 */
public final class StoredForm {
  /** The most bytes of a document. */
  static final int MAX_BYTES = 16 << 20;

  private static final int FORMAT = 1;
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CHARSET_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(8)
                  .maxNumberLength(20)
                  .maxNameLength(64)
                  .maxStringLength(16 * 1024)
                  .build())
          .build();

  private StoredForm() {}

  static byte[] write(OverrideState state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeNumberField("format", FORMAT);
      json.writeArrayFieldStart("overrides");
      for (KeyOverride override : state.overrides()) {
        write(json, override);
      }
      json.writeEndArray();
      json.writeArrayFieldStart("audit");
      for (AuditEntry action : state.audit()) {
        write(json, action);
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is nothing that could fail to be written
    }
    return bytes.toByteArray();
  }

  /**
   * Writes an override as an object.
   *
   * @param json receives it
   * @param override the override
   */
  public static void write(JsonGenerator json, KeyOverride override) throws IOException {
    Target target = override.target();
    json.writeStartObject();
    json.writeStringField("policy", target.policy());
    json.writeStringField(target.isPrefix() ? "prefix" : "key", target.text());
    json.writeStringField("effect", override.effect().id());
    if (override.effect() == Effect.LIMITS) {
      json.writeArrayFieldStart("limits");
      for (Limit limit : override.limits()) {
        json.writeString(limit.toString());
      }
      json.writeEndArray();
    }
    json.writeStringField("reason", override.reason());
    json.writeStringField("author", override.author());
    json.writeStringField("created", override.created().toString());
    if (override.expires() != null) {
      json.writeStringField("expires", override.expires().toString());
    }
    json.writeEndObject();
  }

  /**
   * Writes an action as an object.
   *
   * @param json receives it
   * @param action the action
   */
  public static void write(JsonGenerator json, AuditEntry action) throws IOException {
    json.writeStartObject();
    json.writeStringField("at", action.at().toString());
    json.writeStringField("action", action.action().id());
    json.writeStringField("author", action.author());
    json.writeStringField("reason", action.reason());
    json.writeFieldName("override");
    write(json, action.override());
    json.writeEndObject();
  }

  /**
   * Reads a document.
   *
   * @throws IllegalArgumentException if it is anything else than what {@link #write} writes; the
   *     message says what, without keys
   */
  static OverrideState read(byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "stored overrides must be at most " + MAX_BYTES + " bytes, were " + bytes.length);
    }
    try (JsonParser parser = JSON.createParser(bytes)) {
      parser.nextToken();
      Map<?, ?> document = object(value(parser));
      if (!Long.valueOf(FORMAT).equals(document.get("format"))) {
        throw new IllegalArgumentException(
            "stored overrides must have format " + FORMAT + ", have another");
      }
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("stored overrides must be one object, are more");
      }
      List<KeyOverride> overrides = new ArrayList<>();
      for (Object override : list(document.get("overrides"))) {
        overrides.add(override(object(override)));
      }
      List<AuditEntry> audit = new ArrayList<>();
      for (Object action : list(document.get("audit"))) {
        audit.add(action(object(action)));
      }
      return new OverrideState(overrides, audit);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("stored overrides must be JSON, are not", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is nothing that could fail to be read
    }
  }

  /** Returns a value: an object, a list, a text or a whole number. */
  private static Object value(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    if (token == JsonToken.VALUE_STRING) {
      return parser.getText();
    }
    if (token == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      return parser.getLongValue();
    }
    if (token == JsonToken.START_ARRAY) {
      List<Object> list = new ArrayList<>();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        list.add(value(parser));
      }
      return list;
    }
    if (token == JsonToken.START_OBJECT) {
      Map<String, Object> object = new HashMap<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        parser.nextToken();
        object.put(name, value(parser));
      }
      return object;
    }
    throw malformed();
  }

  private static KeyOverride override(Map<?, ?> fields) {
    boolean isPrefix = fields.containsKey("prefix");
    String policy = text(fields, "policy");
    List<Limit> limits = new ArrayList<>();
    for (Object limit : fields.containsKey("limits") ? list(fields.get("limits")) : List.of()) {
      limits.add(Limit.parse(text(limit)));
    }
    return new KeyOverride(
        new Target(policy, text(fields, isPrefix ? "prefix" : "key"), isPrefix),
        Effect.of(text(fields, "effect")),
        limits,
        text(fields, "reason"),
        text(fields, "author"),
        Instants.parse(text(fields, "created")),
        fields.containsKey("expires") ? Instants.parse(text(fields, "expires")) : null);
  }

  private static AuditEntry action(Map<?, ?> fields) {
    String name = text(fields, "action");
    for (Action action : Action.values()) {
      if (action.id().equals(name)) {
        return new AuditEntry(
            Instants.parse(text(fields, "at")),
            action,
            text(fields, "author"),
            text(fields, "reason"),
            override(object(fields.get("override"))));
      }
    }
    throw malformed();
  }

  private static String text(Map<?, ?> fields, String name) {
    return text(fields.get(name));
  }

  private static String text(@Nullable Object value) {
    if (value instanceof String text) {
      return text;
    }
    throw malformed();
  }

  private static List<?> list(@Nullable Object value) {
    if (value instanceof List<?> list) {
      return list;
    }
    throw malformed();
  }

  private static Map<?, ?> object(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw malformed();
  }

  private static IllegalArgumentException malformed() {
    return new IllegalArgumentException("stored overrides must have the fields of this version");
  }
}
