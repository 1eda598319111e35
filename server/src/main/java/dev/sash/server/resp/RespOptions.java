package dev.sash.server.resp;

import dev.sash.server.access.OperatorTokens;
import dev.sash.server.access.RespCredentials;
import dev.sash.server.net.TlsFiles;
import dev.sash.server.resp.codec.RespParser;
import dev.sash.server.resp.command.ConversationBounds;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of the RESP port. Immutable.
 *
 * <pre>{@code
 * RespOptions.builder().host("10.0.0.7").credentials(RespCredentials.of(System.getenv())).build()
 * }</pre>
 *
 * @param host the address to listen at, {@code 127.0.0.1} by default
 * @param port the port, 6390 by default; 0 for one that is free
 * @param credentials the user and password of clients; null, the default, for none
 * @param tokens the tokens of operators, none by default
 * @param tls the files of TLS; null, the default, for no TLS
 * @param maxConnections the most open connections, 1 to 10⁶, 10,000 by default; further clients
 *     receive an error
 * @param idleTimeout the time after which a silent connection is closed, 10 minutes by default;
 *     zero for never
 * @param requestTimeout the time to complete a request or a transaction, to authenticate, or to
 *     read replies, 1 second or more, 30 seconds by default
 * @param maxBulkLength the longest argument in bytes, 1 KiB to 1 MiB, 64 KiB by default
 * @param maxArguments the most words of a request, 16 to 10⁶, 1024 by default
 * @param maxRequestLength the longest request in bytes, at least twice the longest argument and at
 *     most 16 MiB, 128 KiB by default
 * @param maxPending how many requests of a connection may wait for their decision, 1 to 10⁶, 1024
 *     by default; nothing more is read from it meanwhile
 * @param eventLoops how many event loops share the connections, 1 to 1024; one for each processor
 *     by default
 */
public record RespOptions(
    String host,
    int port,
    @Nullable RespCredentials credentials,
    OperatorTokens tokens,
    @Nullable TlsFiles tls,
    int maxConnections,
    Duration idleTimeout,
    Duration requestTimeout,
    int maxBulkLength,
    int maxArguments,
    int maxRequestLength,
    int maxPending,
    int eventLoops) {

  private static final int KIB = 1024;
  private static final Duration LONGEST = Duration.ofDays(366);

  /**
   * Checks every component.
   *
   * @throws IllegalArgumentException naming the component, its bounds and the value
   */
  public RespOptions {
    Objects.requireNonNull(host, "host must not be null");
    Objects.requireNonNull(tokens, "tokens must not be null");
    check("port", 0, 65_535, port);
    check("maxConnections", 1, 1_000_000, maxConnections);
    check("maxBulkLength", KIB, KIB * KIB, maxBulkLength);
    check("maxArguments", 16, 1_000_000, maxArguments);
    check("maxRequestLength", 2 * maxBulkLength, 16 * KIB * KIB, maxRequestLength);
    check("maxPending", 1, 1_000_000, maxPending);
    check("eventLoops", 1, 1024, eventLoops);
    check("idleTimeout", Duration.ZERO, idleTimeout);
    check("requestTimeout", Duration.ofSeconds(1), requestTimeout);
  }

  /**
   * Returns the defaults.
   *
   * @return options for a port that only this machine reaches
   */
  public static RespOptions defaults() {
    return builder().build();
  }

  /**
   * Returns a builder.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  ConversationBounds conversationBounds() {
    return new ConversationBounds(
        new RespParser.Bounds(maxBulkLength, maxArguments, maxRequestLength),
        requestTimeout,
        idleTimeout,
        maxPending);
  }

  private static void check(String name, int least, int most, int value) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " must be between " + least + " and " + most + ", was " + value);
    }
  }

  private static void check(String name, Duration least, Duration value) {
    Objects.requireNonNull(value, () -> name + " must not be null");
    if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name + " must be between " + least + " and " + LONGEST + ", was " + value);
    }
  }

  /** Builder for {@link RespOptions}. Not thread-safe. */
  public static final class Builder {
    private String host = "127.0.0.1";
    private int port = 6390;
    private @Nullable RespCredentials credentials;
    private OperatorTokens tokens = OperatorTokens.none();
    private @Nullable TlsFiles tls;
    private int maxConnections = 10_000;
    private Duration idleTimeout = Duration.ofMinutes(10);
    private Duration requestTimeout = Duration.ofSeconds(30);
    private int maxBulkLength = 64 * KIB;
    private int maxArguments = 1024;
    private int maxRequestLength = 128 * KIB;
    private int maxPending = 1024;
    private int eventLoops = Math.min(1024, Runtime.getRuntime().availableProcessors());

    private Builder() {}

    /**
     * Short for {@link RespOptions#host}.
     *
     * @param host the address to listen at
     * @return this
     */
    public Builder host(String host) {
      this.host = host;
      return this;
    }

    /**
     * Short for {@link RespOptions#port}.
     *
     * @param port the port; 0 for one that is free
     * @return this
     */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /**
     * Short for {@link RespOptions#credentials}.
     *
     * @param credentials the user and password of clients; null for none
     * @return this
     */
    public Builder credentials(@Nullable RespCredentials credentials) {
      this.credentials = credentials;
      return this;
    }

    /**
     * Short for {@link RespOptions#tokens}.
     *
     * @param tokens the tokens of operators
     * @return this
     */
    public Builder tokens(OperatorTokens tokens) {
      this.tokens = tokens;
      return this;
    }

    /**
     * Short for {@link RespOptions#tls}.
     *
     * @param tls the files of TLS; null for no TLS
     * @return this
     */
    public Builder tls(@Nullable TlsFiles tls) {
      this.tls = tls;
      return this;
    }

    /**
     * Short for {@link RespOptions#maxConnections}.
     *
     * @param maxConnections how many connections there may be at a time
     * @return this
     */
    public Builder maxConnections(int maxConnections) {
      this.maxConnections = maxConnections;
      return this;
    }

    /**
     * Short for {@link RespOptions#idleTimeout}.
     *
     * @param idleTimeout after how long an idle connection is closed; zero for never
     * @return this
     */
    public Builder idleTimeout(Duration idleTimeout) {
      this.idleTimeout = idleTimeout;
      return this;
    }

    /**
     * Short for {@link RespOptions#requestTimeout}.
     *
     * @param requestTimeout how long the rest of a request may take
     * @return this
     */
    public Builder requestTimeout(Duration requestTimeout) {
      this.requestTimeout = requestTimeout;
      return this;
    }

    /**
     * Short for {@link RespOptions#maxBulkLength}.
     *
     * @param maxBulkLength the longest argument in bytes
     * @return this
     */
    public Builder maxBulkLength(int maxBulkLength) {
      this.maxBulkLength = maxBulkLength;
      return this;
    }

    /**
     * Short for {@link RespOptions#maxArguments}.
     *
     * @param maxArguments the most words of a request
     * @return this
     */
    public Builder maxArguments(int maxArguments) {
      this.maxArguments = maxArguments;
      return this;
    }

    /**
     * Short for {@link RespOptions#maxRequestLength}.
     *
     * @param maxRequestLength the longest request in bytes
     * @return this
     */
    public Builder maxRequestLength(int maxRequestLength) {
      this.maxRequestLength = maxRequestLength;
      return this;
    }

    /**
     * Short for {@link RespOptions#maxPending}.
     *
     * @param maxPending how many requests of a connection may wait
     * @return this
     */
    public Builder maxPending(int maxPending) {
      this.maxPending = maxPending;
      return this;
    }

    /**
     * Short for {@link RespOptions#eventLoops}.
     *
     * @param eventLoops how many event loops share the connections
     * @return this
     */
    public Builder eventLoops(int eventLoops) {
      this.eventLoops = eventLoops;
      return this;
    }

    /**
     * Returns the options.
     *
     * @return checked
     */
    public RespOptions build() {
      return new RespOptions(
          host,
          port,
          credentials,
          tokens,
          tls,
          maxConnections,
          idleTimeout,
          requestTimeout,
          maxBulkLength,
          maxArguments,
          maxRequestLength,
          maxPending,
          eventLoops);
    }
  }
}
