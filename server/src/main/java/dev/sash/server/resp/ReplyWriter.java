package dev.sash.server.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** Writes replies, in RESP2 or RESP3, one behind the other. Not thread-safe. */
final class ReplyWriter {
  private static final int FIRST_CAPACITY = 512;
  private static final int KEPT_CAPACITY = 64 * 1024;
  private static final int MAX_ERROR = 256;
  private static final int MAX_LONG = 20;

  private byte[] bytes = new byte[FIRST_CAPACITY];
  private int length;
  private boolean resp3;

  /** Which of the two is written from now on. */
  void resp3(boolean yes) {
    resp3 = yes;
  }

  int length() {
    return length;
  }

  /** Forgets what was written since it had that length. */
  void cutTo(int formerLength) {
    length = formerLength;
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  /** Sends what was written, if anything was, and begins anew. */
  void sendTo(Wire wire) {
    if (length > 0) {
      int written = length;
      length = 0; // before: sending may call back
      wire.send(bytes, written);
      clear();
    }
  }

  /** Begins anew. */
  void clear() {
    length = 0;
    if (bytes.length > KEPT_CAPACITY) {
      bytes = new byte[FIRST_CAPACITY];
    }
  }

  /** Replies as they were written elsewhere. */
  void raw(byte[] replies) {
    ensure(replies.length);
    System.arraycopy(replies, 0, bytes, length, replies.length);
    length += replies.length;
  }

  /** A word of ours, such as OK. */
  void simple(String text) {
    ensure(text.length() + 3);
    put('+');
    ascii(text);
    end();
  }

  /**
   * An error.
   *
   * @param code the word by which clients tell errors apart
   * @param message may quote what a client sent: whatever could be mistaken for protocol, or do
   *     something to a terminal, becomes a question mark
   */
  void error(String code, String message) {
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

  void integer(long value) {
    ensure(MAX_LONG + 3);
    put(':');
    digits(value);
    end();
  }

  void bulk(String text) {
    bulk(text.getBytes(UTF_8));
  }

  void bulk(byte[] text) {
    ensure(text.length + MAX_LONG + 5);
    put('$');
    digits(text.length);
    end();
    System.arraycopy(text, 0, bytes, length, text.length);
    length += text.length;
    end();
  }

  /** An array of so many elements, which follow. */
  void array(int size) {
    header('*', size);
  }

  /** A map of so many pairs, which follow: to RESP2 an array of twice as many. */
  void map(int size) {
    header(resp3 ? '%' : '*', resp3 ? size : 2 * size);
  }

  /** Nothing where something could be. */
  void nothing() {
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
