package dev.sash.server.resp.codec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;

/**
 * A request: the name of a command and its arguments, as references into the input. Valid until the
 * parser returns the next one. Not thread-safe.
 */
public final class Request {
  /** The most permits of a request. */
  public static final long MAX_PERMITS = 1_000_000_000;

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

  /**
   * Returns the number of words.
   *
   * @return 1 or more, the name of the command included
   */
  public int size() {
    return count;
  }

  /**
   * Returns the number of bytes of a word.
   *
   * @param i which word
   * @return 0 or more
   */
  public int length(int i) {
    return lengths[i];
  }

  /**
   * Returns the number of bytes of all words.
   *
   * @return the sum
   */
  public int totalLength() {
    int total = 0;
    for (int i = 0; i < count; i++) {
      total += lengths[i];
    }
    return total;
  }

  /**
   * Returns a request with the same words that stays valid.
   *
   * @return the copy
   */
  public Request copy() {
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

  /**
   * Returns a word as it was sent.
   *
   * @param i which word
   * @return a copy
   */
  public byte[] bytes(int i) {
    return Arrays.copyOfRange(data, starts[i], starts[i] + lengths[i]);
  }

  /**
   * Returns a word in which the letters A to Z are replaced by lower case, for comparison.
   *
   * @param i which word
   * @return one character for each byte
   */
  public String word(int i) {
    byte[] bytes = new byte[lengths[i]];
    for (int at = 0; at < bytes.length; at++) {
      byte b = data[starts[i] + at];
      bytes[at] = b >= 'A' && b <= 'Z' ? (byte) (b | 0x20) : b;
    }
    return new String(bytes, ISO_8859_1);
  }

  /**
   * Returns a word as text. Different bytes never give the same text.
   *
   * @param i which word
   * @param name the name of the argument, for the error
   * @return the text
   * @throws CommandException if the word is not UTF-8
   */
  public String text(int i, String name) {
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
   * Returns a word as an integer.
   *
   * @param i which word
   * @param name the name of the argument, for the error
   * @return the number
   * @throws CommandException if the word is not an integer of at most 18 digits
   */
  public long number(int i, String name) {
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

  /**
   * Returns a word as an integer within bounds.
   *
   * @param i which word
   * @param name the name of the argument, for the error
   * @param least the least number
   * @param most the largest number
   * @return the number
   * @throws CommandException if the word is not such an integer
   */
  public long number(int i, String name, long least, long most) {
    long number = number(i, name);
    if (number < least || number > most) {
      throw CommandException.of(
          name + " must be between " + least + " and " + most + ", was " + number);
    }
    return number;
  }

  /**
   * Checks that a word can be the key of a limiter.
   *
   * @param i which word
   * @throws CommandException otherwise
   */
  public void checkKey(int i) {
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
