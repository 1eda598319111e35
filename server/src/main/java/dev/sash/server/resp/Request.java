package dev.sash.server.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;

/**
 * A request: a command's name and its arguments, as they lie in what was received. Valid until the
 * parser is asked for the next one. Not thread-safe.
 */
final class Request {
  /** The most permits of a request. */
  static final long MAX_PERMITS = 1_000_000_000;

  private static final int MAX_DIGITS = 18;
  private static final int MAX_KEY_BYTES = 1024;

  private byte[] data = {};
  private int[] starts = new int[8];
  private int[] lengths = new int[8];
  private int count;

  void clear() {
    count = 0;
  }

  /** The bytes in which the words lie from now on. */
  void lieIn(byte[] bytes) {
    data = bytes;
  }

  void add(int start, int length) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    starts[count] = start;
    lengths[count] = length;
    count++;
  }

  /** The bytes have moved towards the beginning. */
  void moveBy(int distance) {
    for (int i = 0; i < count; i++) {
      starts[i] -= distance;
    }
  }

  /** How many words there are, the command's name included. */
  int size() {
    return count;
  }

  /** The number of bytes of a word. */
  int length(int i) {
    return lengths[i];
  }

  /** The number of bytes of all words. */
  int totalLength() {
    int total = 0;
    for (int i = 0; i < count; i++) {
      total += lengths[i];
    }
    return total;
  }

  /** Returns a request with the same words that stays valid. */
  Request copy() {
    Request copy = new Request();
    copy.data = new byte[totalLength()];
    int at = 0;
    for (int i = 0; i < count; i++) {
      System.arraycopy(data, starts[i], copy.data, at, lengths[i]);
      copy.add(at, lengths[i]);
      at += lengths[i];
    }
    return copy;
  }

  /** A word as it came. */
  byte[] bytes(int i) {
    return Arrays.copyOfRange(data, starts[i], starts[i] + lengths[i]);
  }

  /** A word that is told apart without regard to case: its letters a to z are made small. */
  String word(int i) {
    byte[] bytes = new byte[lengths[i]];
    for (int at = 0; at < bytes.length; at++) {
      byte b = data[starts[i] + at];
      bytes[at] = b >= 'A' && b <= 'Z' ? (byte) (b | 0x20) : b;
    }
    return new String(bytes, ISO_8859_1);
  }

  /**
   * A word that is text. Different bytes never give the same text.
   *
   * @param i which word
   * @param name what it is, for the error
   */
  String text(int i, String name) {
    int start = starts[i];
    int end = start + lengths[i];
    for (int at = start; at < end; at++) {
      if (data[at] < 0) {
        return decoded(start, end - start, name);
      }
    }
    return new String(data, start, end - start, ISO_8859_1);
  }

  private String decoded(int start, int length, String name) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(data, start, length)).toString();
    } catch (CharacterCodingException e) {
      throw CommandException.of(name + " must be UTF-8");
    }
  }

  /**
   * A word that is a whole number.
   *
   * @param i which word
   * @param name what it is, for the error
   */
  long number(int i, String name) {
    int start = starts[i];
    int end = start + lengths[i];
    boolean negative = start < end && data[start] == '-';
    int first = negative ? start + 1 : start;
    if (first == end || end - first > MAX_DIGITS) {
      throw notANumber(name);
    }
    long number = 0;
    for (int at = first; at < end; at++) {
      int digit = data[at] - '0';
      if (digit < 0 || digit > 9) {
        throw notANumber(name);
      }
      number = 10 * number + digit;
    }
    return negative ? -number : number;
  }

  /** As {@link #number(int, String)}, within bounds. */
  long number(int i, String name, long least, long most) {
    long number = number(i, name);
    if (number < least || number > most) {
      throw CommandException.of(
          name + " must be between " + least + " and " + most + ", was " + number);
    }
    return number;
  }

  /** Checks that a word can be the key of a limiter. */
  void checkKey(int i) {
    text(i, "key");
    if (lengths[i] < 1 || lengths[i] > MAX_KEY_BYTES) {
      throw CommandException.of(
          "key must be between 1 and "
              + MAX_KEY_BYTES
              + " bytes of UTF-8, was "
              + lengths[i]
              + " bytes");
    }
  }

  private static CommandException notANumber(String name) {
    return CommandException.of(name + " must be a whole number");
  }
}
