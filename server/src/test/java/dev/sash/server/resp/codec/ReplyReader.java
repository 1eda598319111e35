package dev.sash.server.resp.codec;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads replies, and takes nothing that is not RESP to the letter. */
public final class ReplyReader {
  private final InputStream in;

  /**
   * An error that was replied.
   *
   * @param message its line
   */
  public record ErrorReply(String message) {}

  public ReplyReader(InputStream in) {
    this.in = in;
  }

  /** Returns an error as it is read. */
  public static ErrorReply error(String message) {
    return new ErrorReply(message);
  }

  /** All replies of some bytes. */
  public static List<@Nullable Object> all(byte[] bytes) throws IOException {
    ByteArrayInputStream in = new ByteArrayInputStream(bytes);
    ReplyReader reader = new ReplyReader(in);
    List<@Nullable Object> replies = new ArrayList<>();
    while (in.available() > 0) {
      replies.add(reader.next());
    }
    return replies;
  }

  /** A String, a Long, an {@link ErrorReply}, a List or Map of these, or null. */
  public @Nullable Object next() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> new ErrorReply(rest);
      case ':' -> Long.valueOf(rest);
      case '$' -> rest.equals("-1") ? null : bulk(Integer.parseInt(rest));
      case '*' -> array(Integer.parseInt(rest));
      case '%' -> map(Integer.parseInt(rest));
      case '_' -> null;
      default -> throw new IOException("not RESP: " + line);
    };
  }

  private String bulk(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("the bulk string is cut off");
    }
    if (!line().isEmpty()) {
      throw new IOException("the bulk string is longer than it says");
    }
    return new String(bytes, UTF_8);
  }

  private List<@Nullable Object> array(int length) throws IOException {
    List<@Nullable Object> array = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      array.add(next());
    }
    return array;
  }

  private Map<@Nullable Object, @Nullable Object> map(int size) throws IOException {
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < size; i++) {
      map.put(next(), next());
    }
    return map;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\r'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the connection was closed");
      }
      if (b == '\n') {
        throw new IOException("a line feed without a carriage return");
      }
      line.write(b);
    }
    if (in.read() != '\n') {
      throw new IOException("a carriage return without a line feed");
    }
    return line.toString(UTF_8);
  }
}
