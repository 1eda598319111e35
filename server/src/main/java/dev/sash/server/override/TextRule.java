package dev.sash.server.override;

import java.util.Objects;

/** Bounds of the texts that operators send: their length, and characters that can mislead. */
final class TextRule {
  private static final int QUOTABLE = 40;

  private TextRule() {}

  /**
   * Returns a text after checking it.
   *
   * @param name what the text is, for the message
   * @param maxBytes the most bytes of UTF-8
   * @throws IllegalArgumentException if the text is empty, too long or has a control character; the
   *     message never quotes the text, which may be personal data
   */
  static String checked(String name, int maxBytes, String text) {
    Objects.requireNonNull(text, () -> name + " must not be null");
    long bytes = utf8Bytes(text, maxBytes);
    if (bytes == 0 || bytes > maxBytes) {
      throw new IllegalArgumentException(
          name
              + " must be between 1 and "
              + maxBytes
              + " bytes of UTF-8, was "
              + (bytes == 0 ? "0 bytes" : "more"));
    }
    text.codePoints()
        .filter(TextRule::isForbidden)
        .findFirst()
        .ifPresent(
            c -> {
              throw new IllegalArgumentException(
                  "%s must not contain control characters, contains U+%04X".formatted(name, c));
            });
    return text;
  }

  /** Counts no further than needed to know that it is too long. */
  private static long utf8Bytes(String text, int maxBytes) {
    long bytes = 0;
    for (int i = 0; i < text.length() && bytes <= maxBytes; i++) {
      char c = text.charAt(i);
      bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
    return bytes;
  }

  /** Line breaks of any kind, halves of surrogate pairs, and what changes the reading direction. */
  private static boolean isForbidden(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    };
  }

  /** Enough of a word to find it. */
  static String quotable(String word) {
    return word.length() <= QUOTABLE ? word : word.substring(0, QUOTABLE) + "...";
  }
}
