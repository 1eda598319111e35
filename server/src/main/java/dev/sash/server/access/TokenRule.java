package dev.sash.server.access;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Refuses tokens that can be guessed: short ones, placeholders from examples, repetitions and
 * sequences. A random token passes.
 */
final class TokenRule {
  static final int MIN_LENGTH = 16;
  static final int MAX_LENGTH = 1024;
  private static final int MIN_DIFFERENT = 6;

  /** A token whose letters form nothing but these words is a placeholder. */
  private static final List<String> WORDS =
      List.of(
          "change",
          "changed",
          "me",
          "changeit",
          "secret",
          "password",
          "passwd",
          "pass",
          "admin",
          "administrator",
          "root",
          "user",
          "token",
          "key",
          "api",
          "bearer",
          "example",
          "sample",
          "test",
          "testing",
          "demo",
          "default",
          "dummy",
          "placeholder",
          "todo",
          "fixme",
          "foo",
          "bar",
          "baz",
          "qwerty",
          "letmein",
          "welcome",
          "sash",
          "refund",
          "operator",
          "server",
          "please",
          "replace",
          "insert",
          "set",
          "put",
          "your",
          "my",
          "own",
          "this",
          "the",
          "a",
          "an",
          "is",
          "with",
          "here",
          "in",
          "to",
          "of",
          "or",
          "and",
          "at",
          "least",
          "long",
          "longer",
          "more",
          "very",
          "super",
          "strong",
          "random",
          "character",
          "characters",
          "chars",
          "value",
          "string",
          "x");

  private TokenRule() {}

  /**
   * Checks a token.
   *
   * @param name the name of the variable
   * @throws IllegalArgumentException without the token
   */
  static void check(String name, String token) {
    int length = token.length();
    if (length < MIN_LENGTH || length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "%s must have between %d and %d characters, has %d"
              .formatted(name, MIN_LENGTH, MAX_LENGTH, length));
    }
    if (!token.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
      throw new IllegalArgumentException(
          name
              + " must consist of visible ASCII characters without whitespace; has "
              + length
              + " characters, some of them others");
    }
    if (isPlaceholder(token) || isRepetition(token) || isSequence(token)) {
      throw new IllegalArgumentException(
          name
              + " must be random, at least "
              + MIN_LENGTH
              + " characters; is a placeholder, a"
              + " repetition or a sequence of "
              + length
              + " characters");
    }
  }

  private static boolean isPlaceholder(String token) {
    String letters = token.toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
    boolean[] reached = new boolean[letters.length() + 1];
    reached[0] = !letters.isEmpty();
    for (int at = 0; at < letters.length(); at++) {
      for (String word : reached[at] ? WORDS : List.<String>of()) {
        if (letters.startsWith(word, at)) {
          reached[at + word.length()] = true;
        }
      }
    }
    return reached[letters.length()];
  }

  private static boolean isRepetition(String token) {
    if (token.chars().distinct().count() < MIN_DIFFERENT) {
      return true;
    }
    for (int period = 1; period <= token.length() / 2; period++) {
      if (token.regionMatches(period, token, 0, token.length() - period)) {
        return true;
      }
    }
    return false;
  }

  /** Most characters follow their predecessor, as in {@code 0123456789abcdef}. */
  private static boolean isSequence(String token) {
    int[] steps = new int[token.length() - 1];
    Arrays.setAll(steps, i -> token.charAt(i + 1) - token.charAt(i));
    return Arrays.stream(steps).filter(step -> Math.abs(step) == 1).count() * 2 > steps.length;
  }
}
