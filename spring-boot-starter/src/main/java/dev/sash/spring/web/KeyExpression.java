package dev.sash.spring.web;

import dev.sash.http.KeyExtractor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Who is limited, as properties say it: {@code user + ip | apikey:X-Api-Key | ip}. A plus combines,
 * a bar is for when the left side finds nothing; the plus binds first.
 *
 * @param extractor finds the key
 * @param words what it is made of, such as {@code ip} and {@code user}
 */
record KeyExpression(KeyExtractor extractor, List<String> words) {
  private static final String FORMS =
      "ip, ip:24/48, user, apikey:<field>, header:<field>, query:<name>, cookie:<name>, path,"
          + " route, method, all, bean:<name> or hashed:<any of these>, joined by + or |";

  /** Whether somebody has to be authenticated before. */
  boolean usesPrincipal() {
    return words.contains("user");
  }

  /**
   * Reads.
   *
   * @param text the expression
   * @param beans finds an extractor by its name
   * @throws IllegalArgumentException if it cannot be read
   */
  static KeyExpression parse(String text, Function<String, KeyExtractor> beans) {
    List<String> words = new ArrayList<>();
    KeyExtractor whole = null;
    for (String alternative : text.split("\\|", -1)) {
      List<KeyExtractor> parts = new ArrayList<>();
      for (String part : alternative.split("\\+", -1)) {
        parts.add(part(text, part.strip(), beans, words));
      }
      KeyExtractor combined =
          parts.size() == 1 ? parts.get(0) : KeyExtractor.all(parts.toArray(KeyExtractor[]::new));
      whole = whole == null ? combined : whole.orElse(combined);
    }
    if (whole == null) {
      throw unreadable(text, text);
    }
    return new KeyExpression(whole, List.copyOf(words));
  }

  private static KeyExtractor part(
      String text, String part, Function<String, KeyExtractor> beans, List<String> words) {
    int colon = part.indexOf(':');
    String word = colon < 0 ? part : part.substring(0, colon);
    String argument = colon < 0 ? "" : part.substring(colon + 1).strip();
    words.add(word);
    if (colon < 0) {
      return switch (word) {
        case "ip" -> KeyExtractor.clientAddress();
        case "user" -> KeyExtractor.principal();
        case "path" -> KeyExtractor.path();
        case "route" -> KeyExtractor.route();
        case "method" -> KeyExtractor.method();
        case "all" -> KeyExtractor.everybody();
        default -> throw unreadable(text, part);
      };
    }
    if (argument.isEmpty()) {
      throw unreadable(text, part);
    }
    return switch (word) {
      case "ip" -> network(text, argument);
      case "apikey" -> KeyExtractor.apiKey(argument);
      case "header" -> KeyExtractor.header(argument);
      case "query" -> KeyExtractor.queryParameter(argument);
      case "cookie" -> KeyExtractor.cookie(argument);
      case "bean" -> beans.apply(argument);
      case "hashed" -> part(text, argument, beans, words).hashed();
      default -> throw unreadable(text, part);
    };
  }

  private static KeyExtractor network(String text, String bits) {
    if (!bits.matches("[0-9]{1,3}/[0-9]{1,3}")) {
      throw unreadable(text, "ip:" + bits);
    }
    int slash = bits.indexOf('/');
    return KeyExtractor.clientAddress(
        Integer.parseInt(bits.substring(0, slash)), Integer.parseInt(bits.substring(slash + 1)));
  }

  private static IllegalArgumentException unreadable(String text, String part) {
    return new IllegalArgumentException(
        "key must be made of " + FORMS + ", was '" + text + "': cannot read '" + part + "'");
  }
}
