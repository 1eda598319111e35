package dev.sash.benchmarks.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;

/** HTTP/1.1. Every answer must be 200, or 429 where that is what is looked for. */
final class HttpExchange extends Exchange {
  private static final byte[] LENGTH = "content-length:".getBytes(ISO_8859_1);
  private static final int STATUS_AT = "HTTP/1.1 ".length();

  private int status;
  private int end = -1;

  HttpExchange(int port) throws IOException {
    super(port);
  }

  /** The status of the last answer. */
  int status() {
    return status;
  }

  @Override
  boolean isWhole() throws IOException {
    if (end < 0) {
      end = endOfAnswer();
    }
    if (end < 0 || filled < end) {
      return false;
    }
    if (filled > end) {
      throw new IOException("more than the answer: " + text());
    }
    status = digit(0) * 100 + digit(1) * 10 + digit(2);
    if (status != 200 && status != 429) {
      throw new IOException("status 200 or 429 was expected: " + text());
    }
    filled = 0;
    end = -1;
    return true;
  }

  private int digit(int at) {
    return answer[STATUS_AT + at] - '0';
  }

  /** Where the answer ends; -1 if its head is not whole yet. */
  private int endOfAnswer() throws IOException {
    int length = -1;
    for (int i = 0; i + 3 < filled; i++) {
      if (answer[i] != '\r' || answer[i + 1] != '\n') {
        continue;
      }
      if (answer[i + 2] == '\r' && answer[i + 3] == '\n') {
        if (length < 0) {
          throw new IOException("an answer of unknown length: " + text());
        }
        return i + 4 + length;
      }
      if (startsWith(LENGTH, i + 2)) {
        length = number(i + 2 + LENGTH.length);
      }
    }
    return -1;
  }

  /** In any case of letters. */
  private boolean startsWith(byte[] name, int at) {
    if (at + name.length > filled) {
      return false;
    }
    for (int i = 0; i < name.length; i++) {
      if ((answer[at + i] | 0x20) != (name[i] | 0x20)) {
        return false;
      }
    }
    return true;
  }

  private int number(int from) {
    int number = 0;
    for (int i = from; i < filled && answer[i] != '\r'; i++) {
      if (answer[i] != ' ') {
        number = number * 10 + answer[i] - '0';
      }
    }
    return number;
  }

  private String text() {
    return new String(answer, 0, filled, ISO_8859_1);
  }
}
