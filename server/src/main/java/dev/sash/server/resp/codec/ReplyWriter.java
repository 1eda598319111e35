package dev.sash.server.resp.codec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** Writes replies in RESP2 or RESP3, one after the other. Not thread-safe. */
public final class ReplyWriter {
  private static final int FIRST_CAPACITY = 512;
  private static final int KEPT_CAPACITY = 64 * 1024;
  private static final int MAX_ERROR = 256;
  private static final int MAX_LONG = 20;

  private byte[] bytes = new byte[FIRST_CAPACITY];
  private int length;
  private boolean resp3;

  /**
   * Sets the version of the protocol for what is written from now on.
   *
   * @param yes false for RESP2
   */
  public void resp3(boolean yes) {
    resp3 = yes;
  }

  /**
   * Returns the number of bytes.
   *
   * @return the bytes since the last {@link #clear}
   */
  public int length() {
    return length;
  }

  /**
   * Discards what was written since it had a length.
   *
   * @param formerLength that length
   */
  public void cutTo(int formerLength) {
    length = formerLength;
  }

  /**
   * Returns what was written.
   *
   * @return a copy
   */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  /**
   * Sends what was written, if anything, and clears it.
   *
   * @param wire the connection
   */
  public void sendTo(Wire wire) {
    if (length > 0) {
      int written = length;
      length = 0; // before: sending may call back
      wire.send(bytes, written);
      clear();
    }
  }

  /** Discards what was written. */
  public void clear() {
    length = 0;
    if (bytes.length > KEPT_CAPACITY) {
      bytes = new byte[FIRST_CAPACITY];
    }
  }

  /**
   * Writes replies as they are.
   *
   * @param replies written by another writer
   */
  public void raw(byte[] replies) {
    ensure(replies.length);
    System.arraycopy(replies, 0, bytes, length, replies.length);
    length += replies.length;
  }

  /**
   * Writes a simple string.
   *
   * @param text ASCII without line breaks, such as {@code OK}
   */
  public void simple(String text) {
    ensure(text.length() + 3);
    put('+');
    ascii(text);
    end();
  }

  /**
   * Writes an error.
   *
   * @param code the first word, by which clients distinguish errors
   * @param message may contain what a client sent: characters other than visible ASCII are replaced
   *     by question marks, and what is longer than 256 characters is cut
   */
  public void error(String code, String message) {
    int shown = Math.min(message.length(), MAX_ERROR);
    ensure(code.length() + shown + 4);
    put('-');
    ascii(code);
    put(' ');
    for (int i = 0; i < shown; i++) {
      char c = message.charAt(i);
      put(c >= ' ' && c < 0x7F ? c : '?');
    }
    end();
  }

  /**
   * Writes an integer.
   *
   * @param value the integer
   */
  public void integer(long value) {
    ensure(MAX_LONG + 3);
    put(':');
    digits(value);
    end();
  }

  /**
   * Writes a bulk string.
   *
   * @param text the text, written as UTF-8
   */
  public void bulk(String text) {
    bulk(text.getBytes(UTF_8));
  }

  /**
   * Writes a bulk string.
   *
   * @param text the bytes
   */
  public void bulk(byte[] text) {
    ensure(text.length + MAX_LONG + 5);
    put('$');
    digits(text.length);
    end();
    System.arraycopy(text, 0, bytes, length, text.length);
    length += text.length;
    end();
  }

  /**
   * Writes the beginning of an array.
   *
   * @param size the number of elements, which must follow
   */
  public void array(int size) {
    header('*', size);
  }

  /**
   * Writes the beginning of a map; in RESP2, of an array of twice as many elements.
   *
   * @param size the number of pairs, which must follow
   */
  public void map(int size) {
    header(resp3 ? '%' : '*', resp3 ? size : 2 * size);
  }

  /** Writes a null. */
  public void nothing() {
    ensure(5);
    ascii(resp3 ? "_" : "$-1");
    end();
  }

  private void header(char type, int size) {
    ensure(MAX_LONG + 3);
    put(type);
    digits(size);
    end();
  }

  private void digits(long value) {
    if (value < 0) {
      ascii(Long.toString(value));
      return;
    }
    int count = 1;
    for (long rest = value / 10; rest > 0; rest /= 10) {
      count++;
    }
    long rest = value;
    for (int at = length + count - 1; at >= length; at--) {
      bytes[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += count;
  }

  private void ascii(String text) {
    byte[] letters = text.getBytes(ISO_8859_1);
    System.arraycopy(letters, 0, bytes, length, letters.length);
    length += letters.length;
  }

  private void put(char c) {
    bytes[length++] = (byte) c;
  }

  private void end() {
    put('\r');
    put('\n');
  }

  private void ensure(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }
  }
}
