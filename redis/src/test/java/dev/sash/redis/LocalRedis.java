package dev.sash.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.testkit.redis.RedisServer;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One real {@code redis-server} for all tests of this JVM. It is spoken to over one plain socket by
 * the thread that asks, which takes a tenth of the time that a client with threads of its own
 * takes, and there are millions of calls. Thread-safe.
 */
final class LocalRedis {
  private static final LocalRedis INSTANCE = new LocalRedis();

  /** An error reply. */
  static final class ErrorReply extends RuntimeException {
    private static final long serialVersionUID = 1;

    ErrorReply(String message) {
      super(message);
    }
  }

  private final Set<String> loaded = ConcurrentHashMap.newKeySet();
  private final InputStream in;
  private final OutputStream out;

  private LocalRedis() {
    RedisServer server = RedisServer.start(); // gone when the JVM ends
    try {
      Socket socket = new Socket(server.host(), server.port());
      socket.setTcpNoDelay(true);
      in = new BufferedInputStream(socket.getInputStream());
      out = new BufferedOutputStream(socket.getOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The server that is shared. */
  static LocalRedis get() {
    return INSTANCE;
  }

  /**
   * Does one command.
   *
   * @param words its name and arguments
   * @return a Long, a String, a list of these, or null
   */
  @Nullable Object call(String... words) {
    return call(words(words));
  }

  /** {@link #call(String...)} for words that are not text. */
  @Nullable Object call(byte[][] words) {
    return callAll(List.<byte[][]>of(words)).get(0);
  }

  /**
   * Does many commands in one go.
   *
   * @param commands the name and arguments of each
   * @return the replies, as of {@link #call}; the first error is thrown
   */
  synchronized List<@Nullable Object> callAll(List<byte[][]> commands) {
    try {
      for (byte[][] words : commands) {
        write("*" + words.length);
        for (byte[] word : words) {
          write("$" + word.length);
          out.write(word);
          write("");
        }
      }
      out.flush();
      List<@Nullable Object> replies = new ArrayList<>();
      for (int i = 0; i < commands.size(); i++) {
        replies.add(read());
      }
      for (Object reply : replies) {
        if (reply instanceof ErrorReply error) {
          throw error;
        }
      }
      return replies;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The command that runs a script, which is loaded before it is needed first. */
  byte[][] evalsha(Script script, String[] keys, byte[][] arguments) {
    if (loaded.add(script.sha1())) {
      call("SCRIPT", "LOAD", script.source());
    }
    List<byte[]> words = new ArrayList<>();
    words.addAll(List.of(words("EVALSHA", script.sha1(), Integer.toString(keys.length))));
    words.addAll(List.of(words(keys)));
    words.addAll(List.of(arguments));
    return words.toArray(byte[][]::new);
  }

  static byte[][] words(String... words) {
    return Arrays.stream(words).map(word -> word.getBytes(UTF_8)).toArray(byte[][]::new);
  }

  private void write(String line) throws IOException {
    out.write(line.getBytes(US_ASCII));
    out.write('\r');
    out.write('\n');
  }

  private @Nullable Object read() throws IOException {
    String line = readLine();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case ':' -> Long.valueOf(rest);
      case '+' -> rest;
      case '-' -> new ErrorReply(rest);
      case '$' -> readBytes(Integer.parseInt(rest));
      case '*' -> readList(Integer.parseInt(rest));
      default -> throw new IOException("not a reply: " + line);
    };
  }

  private byte @Nullable [] readBytes(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length);
    in.skipNBytes(2);
    return bytes;
  }

  private List<@Nullable Object> readList(int size) throws IOException {
    List<@Nullable Object> list = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      list.add(read());
    }
    return list;
  }

  private String readLine() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the server hung up");
      }
      line.append((char) c);
    }
    in.skipNBytes(1);
    return line.toString();
  }
}
