package dev.sash.http.internal;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The small grammars of HTTP that several classes read. Never throws at what was sent. */
public final class HttpSyntax {
  private static final String BASIC = "Basic";
  private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

  /** Text without percent signs, and whether there was anything wrong with them. */
  record Decoded(String text, boolean malformed) {}

  private HttpSyntax() {}

  static boolean isToken(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isTokenChar(text.charAt(i))) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** The name of a header field, a cookie or a method, given by the application. */
  public static String checkedToken(String parameter, String name) {
    Objects.requireNonNull(name, parameter + " must not be null");
    if (!isToken(name)) {
      throw new IllegalArgumentException(
          parameter + " must be 1 or more letters, digits or !#$%&'*+-.^_`|~, was '" + name + "'");
    }
    return name;
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isTokenChar(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || isDigit(c)
        || TOKEN_MARKS.indexOf(c) >= 0;
  }

  /** Reads a token or a quoted string; returns where it ended, or -1 if neither stands there. */
  static int tokenOrQuoted(String text, int start, StringBuilder value) {
    if (start < text.length() && text.charAt(start) == '"') {
      return quoted(text, start + 1, value);
    }
    int at = start;
    while (at < text.length() && isTokenChar(text.charAt(at))) {
      at++;
    }
    value.append(text, start, at);
    return at == start ? -1 : at;
  }

  private static int quoted(String text, int start, StringBuilder value) {
    for (int at = start; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '"') {
        return at + 1;
      }
      if (c == '\\' && ++at == text.length()) {
        return -1;
      }
      value.append(text.charAt(at));
    }
    return -1;
  }

  /** The parts between separators, empty ones too. */
  public static List<String> parts(String text, char separator) {
    List<String> parts = new ArrayList<>();
    int start = 0;
    for (int end = text.indexOf(separator); end >= 0; end = text.indexOf(separator, start)) {
      parts.add(text.substring(start, end));
      start = end + 1;
    }
    parts.add(text.substring(start));
    return parts;
  }

  /** The first value of a query parameter, as forms encode it; null if there is none. */
  public static @Nullable String queryParameter(@Nullable String query, String name) {
    for (String pair : query == null ? List.<String>of() : parts(query, '&')) {
      int equals = pair.indexOf('=');
      String found = equals < 0 ? pair : pair.substring(0, equals);
      if (percentDecoded(found.replace('+', ' ')).text.equals(name)) {
        return equals < 0 ? "" : percentDecoded(pair.substring(equals + 1).replace('+', ' ')).text;
      }
    }
    return null;
  }

  /** The first value of a cookie, without quotation marks around it; null if there is none. */
  public static @Nullable String cookie(List<String> lines, String name) {
    for (String line : lines) {
      for (String pair : parts(line, ';')) {
        int equals = pair.indexOf('=');
        if (equals >= 0 && pair.substring(0, equals).strip().equals(name)) {
          String value = pair.substring(equals + 1).strip();
          boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
          return quoted ? value.substring(1, value.length() - 1) : value;
        }
      }
    }
    return null;
  }

  /**
   * Returns the user of an {@code Authorization} field with the scheme {@code Basic}; null if it is
   * another field. As lenient as servers are, so that no spelling hides a user from a limit.
   */
  public static @Nullable String basicUser(@Nullable String authorization) {
    String field = authorization == null ? "" : authorization.strip();
    if (field.length() <= BASIC.length() + 1
        || !field.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
      return null;
    }
    try {
      byte[] credentials = Base64.getDecoder().decode(field.substring(BASIC.length() + 1).strip());
      String text = new String(credentials, StandardCharsets.UTF_8);
      int colon = text.indexOf(':');
      return colon <= 0 ? null : text.substring(0, colon);
    } catch (IllegalArgumentException e) {
      return null; // not Base64
    }
  }

  /** Decodes percent signs once; what cannot be decoded stays as it is. */
  static Decoded percentDecoded(String text) {
    if (text.indexOf('%') < 0) {
      return new Decoded(text, false);
    }
    byte[] in = text.getBytes(StandardCharsets.UTF_8);
    byte[] out = new byte[in.length];
    int length = 0;
    boolean malformed = false;
    for (int i = 0; i < in.length; i++) {
      int high = in[i] == '%' && i + 2 < in.length ? hex(in[i + 1]) : -1;
      int low = high < 0 ? -1 : hex(in[i + 2]);
      if (low >= 0) {
        out[length++] = (byte) (high << 4 | low);
        i += 2;
      } else {
        malformed |= in[i] == '%';
        out[length++] = in[i];
      }
    }
    try {
      return new Decoded(
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(out, 0, length))
              .toString(),
          malformed);
    } catch (CharacterCodingException e) {
      // Not UTF-8: read as one character for each byte, so that nothing is dropped.
      return new Decoded(new String(out, 0, length, StandardCharsets.ISO_8859_1), true);
    }
  }

  private static int hex(byte b) {
    return b < 0 ? -1 : Character.digit((char) b, 16);
  }

  /** The decimal number of up to ten digits, or -1. */
  public static long number(String text) {
    if (text.isEmpty() || text.length() > 10) {
      return -1;
    }
    long number = 0;
    for (int i = 0; i < text.length(); i++) {
      if (!isDigit(text.charAt(i))) {
        return -1;
      }
      number = number * 10 + text.charAt(i) - '0';
    }
    return number;
  }
}
