package dev.sash.spring.web;

import dev.sash.http.KeyExtractor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Reads keys as properties write them: {@code user + ip | apikey:X-Api-Key | ip}. A plus combines,
 * a bar precedes an alternative for requests without the key on its left; the plus binds first.
 */
final class KeyExpression {
  private static final String FORMS =
      "ip, ip:24/48, user, login, apikey:<field>, header:<field>, query:<name>, cookie:<name>, path,"
          + " route, method, all, bean:<name> or hashed:<any of these>, joined by + or |";

  private KeyExpression() {}

  /**
   * Returns the extractor that an expression describes.
   *
   * @param text the expression
   * @param beans finds an extractor by its name
   * @throws IllegalArgumentException if it cannot be read
   */
  static KeyExtractor parse(String text, Function<String, KeyExtractor> beans) {
    KeyExtractor whole = null;
    for (String alternative : text.split("\\|", -1)) {
      List<KeyExtractor> parts = new ArrayList<>();
      for (String part : alternative.split("\\+", -1)) {
        parts.add(part(text, part.strip(), beans));
      }
      KeyExtractor combined =
          parts.size() == 1 ? parts.get(0) : KeyExtractor.all(parts.toArray(KeyExtractor[]::new));
      whole = whole == null ? combined : whole.orElse(combined);
    }
    if (whole == null) {
      throw unreadable(text, text);
    }
    return whole;
  }

  private static KeyExtractor part(String text, String part, Function<String, KeyExtractor> beans) {
    int colon = part.indexOf(':');
    String word = colon < 0 ? part : part.substring(0, colon);
    String argument = colon < 0 ? "" : part.substring(colon + 1).strip();
    if (colon < 0) {
      return switch (word) {
        case "ip" -> KeyExtractor.clientAddress();
        case "user" -> KeyExtractor.principal();
        case "login" -> KeyExtractor.loginName();
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
      case "hashed" -> part(text, argument, beans).hashed();
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
