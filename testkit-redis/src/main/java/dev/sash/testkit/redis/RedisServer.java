package dev.sash.testkit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A real {@code redis-server} in a process of its own, on a free port of the loopback address.
 *
 * <pre>{@code
 * try (RedisServer server = RedisServer.start("maxmemory 10mb", "maxmemory-policy noeviction")) {
 *   RedisClient client = RedisClient.create(server.uri());
 *   server.command("SCRIPT", "FLUSH");
 *   server.kill();
 *   server.restart();
 * }
 * }</pre>
 *
 * <p>It keeps nothing on disk unless a directive says so. {@link #command} has a user of its own,
 * so that it works whatever the directives or the test do to the default user.
 *
 * <p>Any thread may ask; only one at a time may start, stop or pause. What is not closed is killed
 * when the JVM ends.
 */
public final class RedisServer implements AutoCloseable {
  static final String CONTROL_USER = "sash-control";
  static final String CONTROL_PASSWORD = UUID.randomUUID().toString();

  static final String HOST = "127.0.0.1";
  private static final Duration START_LIMIT = Duration.ofSeconds(20);
  private static final Duration REPLY_LIMIT = Duration.ofSeconds(10);
  // Short, because a stranger may listen at the port and never answer; it is asked again anyway.
  private static final Duration FIRST_REPLY_LIMIT = Duration.ofMillis(250);

  private final ServerProcess process;
  private final RedisBinary binary;
  private final boolean sentinel;
  private final int port;
  private final int tlsPort;
  private final @Nullable SelfSignedCertificate certificate;

  RedisServer(
      ServerProcess process,
      RedisBinary binary,
      boolean sentinel,
      int port,
      int tlsPort,
      @Nullable SelfSignedCertificate certificate) {
    this.process = process;
    this.binary = binary;
    this.sentinel = sentinel;
    this.port = port;
    this.tlsPort = tlsPort;
    this.certificate = certificate;
  }

  /**
   * Starts the {@linkplain RedisBinary#chosen chosen} server.
   *
   * @param directives lines of its configuration, such as {@code maxmemory 10mb}
   * @return a server that answers
   * @throws IllegalStateException if it does not start; the message has its log
   */
  public static RedisServer start(String... directives) {
    return builder().directives(directives).start();
  }

  /**
   * For a server that needs more than directives.
   *
   * @return a builder
   */
  public static RedisServerBuilder builder() {
    return new RedisServerBuilder();
  }

  /**
   * Where the server listens.
   *
   * @return the loopback address
   */
  public String host() {
    return HOST;
  }

  /**
   * Where the server listens without TLS. A restart does not change it.
   *
   * @return the port
   */
  public int port() {
    return port;
  }

  /**
   * The address without TLS, and without any user or password.
   *
   * @return {@code redis://host:port}
   */
  public String uri() {
    return "redis://%s:%d".formatted(HOST, port);
  }

  /**
   * Where the server listens with TLS.
   *
   * @return the port
   * @throws IllegalStateException if it was started without TLS
   */
  public int tlsPort() {
    certificate();
    return tlsPort;
  }

  /**
   * The certificate of the server.
   *
   * @return what a client has to trust
   * @throws IllegalStateException if it was started without TLS
   */
  public SelfSignedCertificate certificate() {
    if (certificate == null) {
      throw new IllegalStateException(this + " was started without TLS");
    }
    return certificate;
  }

  /**
   * What runs.
   *
   * @return the binary, with its version
   */
  public RedisBinary binary() {
    return binary;
  }

  /**
   * The number of the process. A restart changes it.
   *
   * @return the number of the last one started, even if it has ended
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Whether the server can answer.
   *
   * @return false while it is paused, and after it was stopped or killed
   */
  public boolean isUp() {
    return process.isAlive() && !process.isPaused();
  }

  /**
   * Asks the server something, on a connection made for this.
   *
   * @param words the command and its arguments
   * @return a String, a Long, a List of these, or null, as the reply is
   * @throws RedisReplyException if the reply is an error
   * @throws UncheckedIOException if the server cannot be reached or does not answer in 10 seconds
   */
  public @Nullable Object command(String... words) {
    return command(REPLY_LIMIT, words);
  }

  private @Nullable Object command(Duration limit, String... words) {
    try (Resp connection = new Resp(port, limit)) {
      connection.call("AUTH", CONTROL_USER, CONTROL_PASSWORD);
      return connection.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException("%s does not answer %s".formatted(this, words[0]), e);
    }
  }

  /**
   * One line of what {@code INFO} tells.
   *
   * @param field its name, such as {@code role}
   * @return its value, empty if there is no such line
   */
  public String info(String field) {
    return field(command("INFO"), field);
  }

  /**
   * Returns the time that the server has spent on a processor.
   *
   * @return seconds
   */
  public double cpuSeconds() {
    return Double.parseDouble(info("used_cpu_user")) + Double.parseDouble(info("used_cpu_sys"));
  }

  /** The value in a text of lines {@code field:value}. */
  static String field(@Nullable Object text, String field) {
    return String.valueOf(text)
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .map(line -> line.substring(field.length() + 1))
        .findFirst()
        .orElse("");
  }

  /**
   * What the server wrote since it was first started.
   *
   * @return its log
   */
  public String log() {
    return process.log();
  }

  /** Stops the server as an operator would; kills it if that takes longer than 5 seconds. */
  public void stop() {
    process.stop();
  }

  /** Kills the server, paused or not. It can be started again. */
  public void kill() {
    process.kill();
  }

  /**
   * Starts the server again on the same port, with the same configuration and what it kept on disk;
   * stops it first if it runs.
   *
   * @throws IllegalStateException if it does not start; the message has its log
   */
  public void restart() {
    if (process.isAlive()) {
      stop();
    }
    launch();
  }

  /** Freezes the server: connections stay open, and nothing is answered. */
  public void pause() {
    process.pause();
  }

  /** Lets a paused server go on: it answers what came in meanwhile. */
  public void resume() {
    process.resume();
  }

  /** Kills the server and deletes what it kept. */
  @Override
  public void close() {
    process.close();
    Ports.release(port);
    Ports.release(tlsPort);
  }

  @Override
  public String toString() {
    return "%s%s at %s:%d".formatted(binary, sentinel ? " as a sentinel" : "", HOST, port);
  }

  /** Starts the process and waits until it answers. */
  void launch() {
    List<String> command =
        new ArrayList<>(List.of(binary.path().toString(), RedisServerBuilder.CONFIGURATION));
    if (sentinel) {
      command.add("--sentinel");
    }
    process.start(command);
    try {
      Waiting.until(this + " answers", START_LIMIT, this::missingToServe);
    } catch (IllegalStateException e) {
      throw new IllegalStateException("%s; its log:%n%s".formatted(e.getMessage(), log()), e);
    }
  }

  private String missingToServe() {
    if (!process.isAlive()) {
      throw new IllegalStateException(this + " ended instead of answering");
    }
    return "PONG".equals(command(FIRST_REPLY_LIMIT, "PING")) ? "" : "another reply to PING";
  }
}
