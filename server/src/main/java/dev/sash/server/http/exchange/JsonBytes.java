package dev.sash.server.http.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/**
 * Writes the bytes of JSON where it has to be fast: names are constants, and numbers are written
 * without a string in between. Reused, by one thread. ADR 10 compares it with Jackson's generator.
 */
public final class JsonBytes {
  private static final int LARGEST_KEPT = 1 << 20;

  private byte[] bytes = new byte[4096];
  private int length;

  /** Removes all bytes. */
  public JsonBytes clear() {
    length = 0;
    if (bytes.length > LARGEST_KEPT) {
      bytes = new byte[4096];
    }
    return this;
  }

  /** Bytes as they are. */
  public JsonBytes put(byte[] more) {
    reserve(more.length);
    System.arraycopy(more, 0, bytes, length, more.length);
    length += more.length;
    return this;
  }

  /** Appends an ASCII character. */
  public JsonBytes put(char ascii) {
    reserve(1);
    bytes[length++] = (byte) ascii;
    return this;
  }

  /** Text of which every character is ASCII and none has a meaning in JSON. */
  public JsonBytes putPlain(String text) {
    reserve(text.length());
    for (int i = 0; i < text.length(); i++) {
      bytes[length++] = (byte) text.charAt(i);
    }
    return this;
  }

  /** Any text, without quotation marks; half a surrogate pair, which UTF-8 cannot say, as '?'. */
  public JsonBytes putEscaped(String text) {
    String sayable = new String(text.getBytes(UTF_8), UTF_8);
    return put(JsonStringEncoder.getInstance().quoteAsUTF8(sayable));
  }

  /** A number that is not negative. */
  public JsonBytes put(long number) {
    int digits = digits(number);
    reserve(digits);
    length += digits;
    int at = length;
    long left = number;
    do {
      bytes[--at] = (byte) ('0' + left % 10);
      left /= 10;
    } while (left > 0);
    return this;
  }

  private static int digits(long number) {
    int digits = 1;
    for (long bound = 10; digits < 19 && number >= bound; bound *= 10) {
      digits++;
    }
    return digits;
  }

  private void reserve(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
    }
  }

  /** Returns a copy of the bytes. */
  public Buffer toBuffer() {
    return Buffer.buffer(length).appendBytes(bytes, 0, length);
  }
}
