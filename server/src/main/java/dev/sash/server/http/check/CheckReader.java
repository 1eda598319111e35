package dev.sash.server.http.check;

import static dev.sash.server.http.exchange.JsonBody.expectObject;
import static dev.sash.server.http.exchange.JsonBody.limits;
import static dev.sash.server.http.exchange.JsonBody.once;
import static dev.sash.server.http.exchange.JsonBody.read;
import static dev.sash.server.http.exchange.JsonBody.text;
import static dev.sash.server.http.exchange.JsonBody.typeOf;
import static dev.sash.server.http.exchange.JsonBody.unknown;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import dev.sash.Limit;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.http.exchange.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads requests from JSON, strictly: what is unknown, twice there or of another type is refused by
 * name. Whatever is sent, a {@link Refusal} is the worst that happens.
 */
public final class CheckReader {
  /** How many requests a batch may have. */
  static final int MOST_IN_BATCH = 1_000;

  private static final int MOST_ATTRIBUTES = 64;

  /** What else than policy, key, attributes and limits a request may say. */
  public enum Form {
    /** A check: {@code receipt} is whether one is wanted. */
    CHECK("policy, key, permits, attributes, limits, receipt"),
    /** A look, or a reset. */
    LOOK("policy, key, attributes, limits"),
    /** A refund: {@code receipt} is that of the charge. */
    REFUND("policy, key, permits, attributes, limits, receipt");

    private final String fields;

    Form(String fields) {
      this.fields = fields;
    }
  }

  /** A request of a batch, or what is wrong with it. */
  public record Item(@Nullable CheckCall call, @Nullable Refusal refusal) {}

  private CheckReader() {}

  /** Reads a body of one request. */
  public static CheckCall one(byte[] body, Form form) {
    return read(
        body,
        parser -> {
          expectObject(parser.nextToken(), "body");
          return call(parser, form);
        });
  }

  /** Reads a body of many requests: <code>{"requests": [...]}</code>. */
  public static List<Item> batch(byte[] body) {
    return read(
        body,
        parser -> {
          expectObject(parser.nextToken(), "body");
          List<Item> items = null;
          while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            if (!name.equals("requests")) {
              throw unknown(name, "requests");
            }
            once(name, items);
            items = items(parser, value);
          }
          if (items == null) {
            throw Refusal.bad("requests must be given");
          }
          return items;
        });
  }

  private static List<Item> items(JsonParser parser, JsonToken value) throws IOException {
    if (value != JsonToken.START_ARRAY) {
      throw Refusal.bad("requests must be an array, was " + typeOf(value));
    }
    JsonStreamContext array = parser.getParsingContext();
    List<Item> items = new ArrayList<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      if (items.size() == MOST_IN_BATCH) {
        throw Refusal.bad("requests must be at most " + MOST_IN_BATCH + ", are more");
      }
      items.add(item(parser, token, array));
    }
    return items;
  }

  private static Item item(JsonParser parser, JsonToken token, JsonStreamContext array)
      throws IOException {
    try {
      expectObject(token, "request");
      return new Item(call(parser, Form.CHECK), null);
    } catch (Refusal refusal) {
      // The others are still to be read.
      while (parser.getParsingContext() != array) {
        parser.nextToken();
      }
      return new Item(null, refusal);
    }
  }

  private static CheckCall call(JsonParser parser, Form form) throws IOException {
    String policy = null;
    String key = null;
    Long permits = null;
    Map<String, String> attributes = null;
    List<Limit> limits = null;
    Boolean wantsReceipt = null;
    String receipt = null;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      switch (name) {
        case "policy" -> {
          once(name, policy);
          policy = text(parser, name, value);
        }
        case "key" -> {
          once(name, key);
          key = text(parser, name, value);
        }
        case "permits" -> {
          if (form == Form.LOOK) {
            throw unknown(name, form.fields);
          }
          once(name, permits);
          permits = permits(parser, value);
        }
        case "attributes" -> {
          once(name, attributes);
          attributes = attributes(parser, value);
        }
        case "limits" -> {
          once(name, limits);
          limits = limits(parser, value);
        }
        case "receipt" -> {
          if (form == Form.LOOK) {
            throw unknown(name, form.fields);
          }
          once(name, form == Form.CHECK ? wantsReceipt : receipt);
          if (form == Form.CHECK) {
            wantsReceipt = flag(name, value);
          } else {
            receipt = text(parser, name, value);
          }
        }
        default -> throw unknown(name, form.fields);
      }
    }
    Map<String, String> known = attributes == null ? Map.of() : attributes;
    CheckRequest request = request(policy, key, permits, known, limits);
    return new CheckCall(request, Boolean.TRUE.equals(wantsReceipt), receipt);
  }

  private static CheckRequest request(
      @Nullable String policy,
      @Nullable String key,
      @Nullable Long permits,
      Map<String, String> attributes,
      @Nullable List<Limit> limits) {
    try {
      return new CheckRequest(policy, key, permits, attributes, limits);
    } catch (IllegalArgumentException e) {
      throw Refusal.bad(String.valueOf(e.getMessage()));
    }
  }

  private static boolean flag(String name, JsonToken value) {
    if (!value.isBoolean()) {
      throw Refusal.bad(name + " must be true or false, was " + typeOf(value));
    }
    return value == JsonToken.VALUE_TRUE;
  }

  private static long permits(JsonParser parser, JsonToken value) throws IOException {
    if (value != JsonToken.VALUE_NUMBER_INT) {
      String found = value == JsonToken.VALUE_NUMBER_FLOAT ? "written otherwise" : typeOf(value);
      throw Refusal.bad("permits must be a whole number in digits, was " + found);
    }
    if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      throw Refusal.bad("permits must be between 0 and 1000000000, was far outside");
    }
    return parser.getLongValue();
  }

  private static Map<String, String> attributes(JsonParser parser, JsonToken value)
      throws IOException {
    expectObject(value, "attributes");
    Map<String, String> attributes = new HashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      JsonToken token = parser.nextToken();
      once(name, attributes.get(name));
      attributes.put(name, text(parser, name, token));
      if (attributes.size() > MOST_ATTRIBUTES) {
        throw Refusal.bad("attributes must be at most " + MOST_ATTRIBUTES + ", are more");
      }
    }
    return attributes;
  }
}
