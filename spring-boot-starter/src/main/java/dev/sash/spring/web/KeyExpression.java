package dev.sash.spring.web;

import dev.sash.http.KeyExtractor;
import dev.sash.spring.config.KeyWords;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keys of HTTP requests.
 *
 * @param beans finds an extractor by its name
 */
record KeyExpression(Function<String, KeyExtractor> beans) implements KeyWords<KeyExtractor> {
  /**
   * Returns the extractor that an expression describes.
   *
   * @param text the expression
   * @param beans finds an extractor by its name
   * @throws IllegalArgumentException if it cannot be read
   */
  static KeyExtractor parse(String text, Function<String, KeyExtractor> beans) {
    return new KeyExpression(beans).parse(text);
  }

  @Override
  public String forms() {
    return "ip, ip:24/48, user, login, apikey:<field>, header:<field>, query:<name>, cookie:<name>,"
        + " path, route, method, all, bean:<name> or hashed:<any of these>";
  }

  @Override
  public @Nullable KeyExtractor meaning(String word, @Nullable String argument) {
    if (argument == null) {
      return switch (word) {
        case "ip" -> KeyExtractor.clientAddress();
        case "user" -> KeyExtractor.principal();
        case "login" -> KeyExtractor.loginName();
        case "path" -> KeyExtractor.path();
        case "route" -> KeyExtractor.route();
        case "method" -> KeyExtractor.method();
        case "all" -> KeyExtractor.everybody();
        default -> null;
      };
    }
    return switch (word) {
      case "ip" -> network(argument);
      case "apikey" -> KeyExtractor.apiKey(argument);
      case "header" -> KeyExtractor.header(argument);
      case "query" -> KeyExtractor.queryParameter(argument);
      case "cookie" -> KeyExtractor.cookie(argument);
      case "bean" -> beans.apply(argument);
      default -> null;
    };
  }

  private static @Nullable KeyExtractor network(String bits) {
    if (!bits.matches("[0-9]{1,3}/[0-9]{1,3}")) {
      return null;
    }
    int slash = bits.indexOf('/');
    return KeyExtractor.clientAddress(
        Integer.parseInt(bits.substring(0, slash)), Integer.parseInt(bits.substring(slash + 1)));
  }

  @Override
  public KeyExtractor combined(List<KeyExtractor> parts) {
    return KeyExtractor.all(parts.toArray(KeyExtractor[]::new));
  }

  @Override
  public KeyExtractor either(KeyExtractor first, KeyExtractor second) {
    return first.orElse(second);
  }

  @Override
  public KeyExtractor hashed(KeyExtractor key) {
    return key.hashed();
  }
}
