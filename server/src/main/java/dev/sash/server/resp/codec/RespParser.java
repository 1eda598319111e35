package dev.sash.server.resp.codec;

import org.jspecify.annotations.Nullable;

/**
 * Finds requests in what a client sends, wherever the network has cut it: arrays of bulk strings
 * and, for people with telnet, inline commands.
 *
 * <pre>{@code
 * *2\r\n$4\r\nPING\r\n$2\r\nhi\r\n      an array
 * PING hi\r\n                           inline
 * }</pre>
 *
 * <p>It remembers where it stopped, so that a byte is looked at once however slowly they come. What
 * is received is not copied unless it ends in the midst of a request. Not thread-safe.
 */
public final class RespParser {
  /** The longest line with a number: a sign, ten digits and the end of the line, with some room. */
  private static final int MAX_NUMBER_LINE = 16;

  private static final int UNKNOWN = -1;
  private static final byte[] EMPTY = {};

  private final Request request = new Request();
  private Bounds bounds;

  /**
   * What is received and not yet consumed lies from start to end; what is understood, before at.
   */
  private byte[] data = EMPTY;

  private int start;
  private int at;
  private int end;

  /** How many words the array has that is being read, and how long the next of them is. */
  private int expected = UNKNOWN;

  private int length = UNKNOWN;

  /**
   * What a request may be at most.
   *
   * @param bulkLength bytes of one word
   * @param arguments words
   * @param requestLength bytes of the whole request
   */
  public record Bounds(int bulkLength, int arguments, int requestLength) {}

  /**
   * Creates a parser.
   *
   * @param bounds what a request may be at most
   */
  public RespParser(Bounds bounds) {
    this.bounds = bounds;
  }

  /**
   * Sets other bounds, from the next word on.
   *
   * @param others the bounds
   */
  public void boundBy(Bounds others) {
    bounds = others;
  }

  /**
   * Returns whether a request has begun and is not complete.
   *
   * @return false if all input has been consumed
   */
  public boolean isPartial() {
    return start < end;
  }

  /**
   * Returns the bytes that are held until the rest of a request comes.
   *
   * @return 0 if all input has been consumed
   */
  public int heldBytes() {
    return isPartial() ? data.length : 0;
  }

  /** Discards what was received. */
  public void clear() {
    data = EMPTY;
    start = at = end = 0;
    expected = UNKNOWN;
    length = UNKNOWN;
  }

  /**
   * Adds input.
   *
   * @param bytes belong to the parser from now on
   */
  public void feed(byte[] bytes) {
    if (start == end) {
      data = bytes;
      start = 0;
      at = 0;
      end = bytes.length;
    } else {
      append(bytes);
    }
    request.lieIn(data);
  }

  private void append(byte[] bytes) {
    int held = end - start;
    if (data.length - end < bytes.length) {
      byte[] target =
          data.length / 2 < held + bytes.length ? new byte[2 * (held + bytes.length)] : data;
      System.arraycopy(data, start, target, 0, held);
      data = target;
      request.moveBy(start);
      at -= start;
      start = 0;
      end = held;
    }
    System.arraycopy(bytes, 0, data, end, bytes.length);
    end += bytes.length;
  }

  /**
   * Returns the next request.
   *
   * @return null if it is not complete; otherwise valid until the next call
   * @throws ProtocolException if the input is not RESP; nothing more can be read then
   */
  public @Nullable Request next() throws ProtocolException {
    while (start < end) {
      boolean complete = data[start] == '*' ? array() : inline();
      if (!complete) {
        checkLength(end - start);
        return null;
      }
      start = at;
      expected = UNKNOWN;
      if (request.size() > 0) {
        return request; // an empty one has no answer
      }
    }
    clear(); // an idle connection holds nothing
    return null;
  }

  private boolean array() throws ProtocolException {
    if (expected == UNKNOWN) {
      request.clear();
      at = start;
      int count = numberLine('*', "multibulk length");
      if (count == UNKNOWN) {
        return false;
      }
      if (count > bounds.arguments) {
        throw new ProtocolException("invalid multibulk length");
      }
      expected = count;
    }
    while (request.size() < expected) {
      if (length == UNKNOWN) {
        length = numberLine('$', "bulk length");
        if (length == UNKNOWN) {
          return false;
        }
        if (length > bounds.bulkLength) {
          throw new ProtocolException("invalid bulk length");
        }
        checkLength(at - start + length + 2);
      }
      if (end - at < length + 2) {
        return false;
      }
      if (data[at + length] != '\r' || data[at + length + 1] != '\n') {
        throw new ProtocolException("bulk string is longer than it says");
      }
      request.add(at, length);
      at += length + 2;
      length = UNKNOWN;
    }
    return true;
  }

  /**
   * The number of a line such as {@code $12\r\n}.
   *
   * @return {@link #UNKNOWN} if the line is not there yet
   */
  private int numberLine(char type, String name) throws ProtocolException {
    if (at == end) {
      return UNKNOWN;
    }
    if (data[at] != type) {
      throw new ProtocolException("expected '" + type + "', got '" + printable(data[at]) + "'");
    }
    int number = 0;
    int i = at + 1;
    for (; i < end && data[i] != '\r'; i++) {
      int digit = data[i] - '0';
      if (digit < 0 || digit > 9 || i - at > MAX_NUMBER_LINE || number > Integer.MAX_VALUE / 100) {
        throw new ProtocolException("invalid " + name);
      }
      number = 10 * number + digit;
    }
    if (end - i < 2) {
      return UNKNOWN;
    }
    if (data[i + 1] != '\n' || i == at + 1) {
      throw new ProtocolException("invalid " + name);
    }
    at = i + 2;
    return number;
  }

  /** Words with spaces between them, up to the end of the line. */
  private boolean inline() throws ProtocolException {
    while (at < end && data[at] != '\n') {
      at++;
    }
    if (at == end) {
      return false;
    }
    request.clear();
    int stop = at > start && data[at - 1] == '\r' ? at - 1 : at;
    at++;
    checkLength(at - start);
    for (int i = start; i < stop; ) {
      int first = i;
      while (i < stop && data[i] != ' ' && data[i] != '\t') {
        i++;
      }
      if (i > first) {
        addInline(first, i - first);
      }
      i++;
    }
    return true;
  }

  private void addInline(int first, int length) throws ProtocolException {
    if (data[first] == '"' || data[first] == '\'') {
      throw new ProtocolException("quotes are not understood in inline commands");
    }
    if (length > bounds.bulkLength || request.size() == bounds.arguments) {
      throw new ProtocolException("too big inline request");
    }
    request.add(first, length);
  }

  private void checkLength(int bytes) throws ProtocolException {
    if (bytes > bounds.requestLength) {
      throw new ProtocolException("too big request");
    }
  }

  private static char printable(byte b) {
    return b > ' ' && b < 0x7F ? (char) b : '?';
  }
}
