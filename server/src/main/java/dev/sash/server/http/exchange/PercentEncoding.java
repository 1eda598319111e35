package dev.sash.server.http.exchange;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads what stands in URIs, strictly: who sends half an escape did not mean what is left. */
public final class PercentEncoding {
  private PercentEncoding() {}

  /**
   * Decodes once.
   *
   * @param what what the text is, for the message
   */
  public static String decoded(String what, String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        int high = i + 2 < text.length() ? hexDigit(text.charAt(i + 1)) : -1;
        int low = high < 0 ? -1 : hexDigit(text.charAt(i + 2));
        if (low < 0) {
          throw Refusal.bad(what + " must have two hexadecimal digits after each %");
        }
        bytes.write(high << 4 | low);
        i += 2;
      } else if (c < 0x80) {
        bytes.write(c);
      } else {
        throw Refusal.bad(what + " must have what is not ASCII percent-encoded");
      }
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.toByteArray()))
          .toString();
    } catch (CharacterCodingException e) {
      throw Refusal.bad(what + " must be UTF-8, percent-encoded");
    }
  }

  private static int hexDigit(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1;
  }

  /** The parameters of a query, in its order; none may come twice. */
  public static Map<String, String> parameters(@Nullable String query) {
    Map<String, String> parameters = new LinkedHashMap<>();
    if (query == null || query.isEmpty()) {
      return parameters;
    }
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = inQuery(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : inQuery(pair.substring(equals + 1));
      if (parameters.put(name, value) != null) {
        throw Refusal.bad("query must have a parameter only once, has one twice");
      }
    }
    return parameters;
  }

  private static String inQuery(String text) {
    return decoded("query", text.replace('+', ' '));
  }
}
