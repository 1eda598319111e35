package dev.sash.benchmarks.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;

/**
 * Reads as much of HTTP/1.1 responses as it takes to know where they end: the status, and a body of
 * known length. Cheap, since it shares the machine with what is measured.
 */
final class ResponseReader {
  private static final byte[] END_OF_HEAD = "\r\n\r\n".getBytes(ISO_8859_1);
  private static final String LENGTH = "\r\ncontent-length:";
  private static final int STATUS_AT = "HTTP/1.1 ".length();

  private final InputStream in;
  private final byte[] buffer = new byte[1 << 16];

  ResponseReader(InputStream in) {
    this.in = in;
  }

  /** Waits for a whole response and returns its status. Nothing else may be under way. */
  int next() throws IOException {
    int filled = 0;
    int end = -1;
    while (end < 0 || filled < end) {
      int read = in.read(buffer, filled, buffer.length - filled);
      if (read <= 0) {
        throw new EOFException("the response ended, or grew too long, after " + filled + " bytes");
      }
      filled += read;
      if (end < 0) {
        end = endOfResponse(filled);
      }
    }
    if (filled > end) {
      throw new IOException("more than the response: " + text(0, filled));
    }
    return Integer.parseInt(text(STATUS_AT, STATUS_AT + 3));
  }

  /** Where the response ends, or -1 if its head is not there yet. */
  private int endOfResponse(int filled) throws IOException {
    int last = filled - END_OF_HEAD.length;
    for (int i = 0; i <= last; i++) {
      if (buffer[i] == '\r'
          && Arrays.equals(buffer, i, i + END_OF_HEAD.length, END_OF_HEAD, 0, END_OF_HEAD.length)) {
        return i + END_OF_HEAD.length + bodyLength(text(0, i));
      }
    }
    return -1;
  }

  private static int bodyLength(String head) throws IOException {
    int at = head.toLowerCase(Locale.ROOT).indexOf(LENGTH);
    if (at < 0) {
      throw new IOException("a response without Content-Length: " + head);
    }
    int end = head.indexOf('\r', at + LENGTH.length());
    return Integer.parseInt(
        head.substring(at + LENGTH.length(), end < 0 ? head.length() : end).strip());
  }

  private String text(int from, int to) {
    return new String(buffer, from, to - from, ISO_8859_1);
  }
}
