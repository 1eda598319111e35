package dev.sash.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One real {@code redis-server} for all tests of this JVM: the one on the PATH, or the one that
 * {@code -Dsash.redis=} names. It is spoken to over one plain socket by the thread that asks, which
 * takes a tenth of the time that a client with threads of its own takes, and there are millions of
 * calls. Thread-safe.
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

  private final InputStream in;
  private final OutputStream out;

  private LocalRedis() {
    try {
      int port = freePort();
      Process server = start(port);
      Runtime.getRuntime().addShutdownHook(new Thread(server::destroyForcibly));
      Socket socket = connect(port);
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
    return callAll(List.<String[]>of(words)).get(0);
  }

  /**
   * Does many commands in one go.
   *
   * @param commands the name and arguments of each
   * @return the replies, as of {@link #call}; the first error is thrown
   */
  synchronized List<@Nullable Object> callAll(List<String[]> commands) {
    try {
      for (String[] words : commands) {
        write("*" + words.length);
        for (String word : words) {
          byte[] bytes = word.getBytes(UTF_8);
          write("$" + bytes.length);
          out.write(bytes);
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

  /** The words that run a script which is loaded. */
  static String[] evalsha(Script script, String[] keys, String[] arguments) {
    List<String> words = new ArrayList<>();
    words.add("EVALSHA");
    words.add(script.sha1());
    words.add(Integer.toString(keys.length));
    words.addAll(List.of(keys));
    words.addAll(List.of(arguments));
    return words.toArray(String[]::new);
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
      case '$' -> readText(Integer.parseInt(rest));
      case '*' -> readList(Integer.parseInt(rest));
      default -> throw new IOException("not a reply: " + line);
    };
  }

  private @Nullable String readText(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    String text = new String(in.readNBytes(length), UTF_8);
    in.skipNBytes(2);
    return text;
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

  private static Process start(int port) throws IOException {
    return new ProcessBuilder(
            System.getProperty("sash.redis", "redis-server"),
            "--port",
            Integer.toString(port),
            "--save",
            "",
            "--dir",
            Files.createTempDirectory("sash-redis").toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static Socket connect(int port) throws IOException {
    for (int attempt = 0; ; attempt++) {
      try {
        return new Socket(InetAddress.getLoopbackAddress(), port);
      } catch (ConnectException e) {
        if (attempt == 200) {
          throw e;
        }
        try {
          Thread.sleep(25);
        } catch (InterruptedException interrupted) {
          throw new IOException(interrupted);
        }
      }
    }
  }
}
