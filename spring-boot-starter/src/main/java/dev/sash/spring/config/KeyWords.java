package dev.sash.spring.config;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads keys as properties write them: {@code user + ip | apikey:X-Api-Key | ip}. A plus combines,
 * a bar precedes an alternative for requests without the key on its left; the plus binds first.
 *
 * @param <K> what finds a key
 */
public interface KeyWords<K> {
  /**
   * Returns which words there are.
   *
   * @return for messages
   */
  String forms();

  /**
   * Returns what a word means.
   *
   * @param word such as {@code ip} or {@code header}
   * @param argument what follows the colon; null without a colon
   * @return null if it means nothing
   * @throws IllegalArgumentException if it means something that cannot work
   */
  @Nullable K meaning(String word, @Nullable String argument);

  /**
   * Combines keys.
   *
   * @param parts two or more
   * @return finds no key if one of them finds none
   */
  K combined(List<K> parts);

  /**
   * Returns a key with an alternative.
   *
   * @param first the key
   * @param second is asked if the first finds none
   * @return finds the key of one of them
   */
  K either(K first, K second);

  /**
   * Returns a key whose value is a hash.
   *
   * @param key the key
   * @return finds no key if that one finds none
   */
  K hashed(K key);

  /**
   * Returns what an expression describes.
   *
   * @param text the expression
   * @return finds the key
   * @throws IllegalArgumentException if it cannot be read
   */
  default K parse(String text) {
    K whole = null;
    for (String alternative : text.split("\\|", -1)) {
      List<K> parts = new ArrayList<>();
      for (String part : alternative.split("\\+", -1)) {
        parts.add(part(text, part.strip()));
      }
      K combined = parts.size() == 1 ? parts.get(0) : combined(parts);
      whole = whole == null ? combined : either(whole, combined);
    }
    if (whole == null) {
      throw unreadable(text, text);
    }
    return whole;
  }

  private K part(String text, String part) {
    int colon = part.indexOf(':');
    String word = colon < 0 ? part : part.substring(0, colon);
    String argument = colon < 0 ? null : part.substring(colon + 1).strip();
    if (argument != null && argument.isEmpty()) {
      throw unreadable(text, part);
    }
    K found =
        word.equals("hashed") && argument != null
            ? hashed(part(text, argument))
            : meaning(word, argument);
    if (found == null) {
      throw unreadable(text, part);
    }
    return found;
  }

  private IllegalArgumentException unreadable(String text, String part) {
    return new IllegalArgumentException(
        "key must be made of "
            + forms()
            + ", joined by + or |, was '"
            + text
            + "': cannot read '"
            + part
            + "'");
  }
}
