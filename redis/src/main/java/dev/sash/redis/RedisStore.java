package dev.sash.redis;

import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.internal.Bounds;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.SslOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Makes limiters that keep their state in Redis. All limiters of a store share one connection.
 *
 * <pre>{@code
 * RedisStore store = RedisStore.connect("redis://localhost");
 * RateLimiter limiter = store.limiter(Policy.of("api", Limit.parse("100/1m")));
 * }</pre>
 *
 * <p>A URI names the topology:
 *
 * <ul>
 *   <li>{@code redis://user:password@host:port/database}, {@code rediss://} with TLS;
 *   <li>{@code redis-sentinel://user:password@host1:26379,host2:26379/0#mymaster}, {@code
 *       rediss-sentinel://} with TLS: the master that Sentinel names;
 *   <li>{@code redis-cluster://user:password@host:port}, {@code rediss-cluster://} with TLS, one or
 *       more: a Redis Cluster, found through any of the nodes named.
 * </ul>
 *
 * <p>A store can be made while Redis is away: its limiters then decide by their failure rules until
 * it is there. Thread-safe.
 */
public final class RedisStore implements AutoCloseable {
  private static final int DENIALS_REMEMBERED = 1 << 14;
  private static final int SCAN_STEP = 1_000;

  private final Link link;
  private final KeyNames names;
  private final int nodes;
  private final long denialMicros;

  private RedisStore(Builder builder) {
    names = new KeyNames(builder.prefix);
    nodes = builder.nodes;
    denialMicros = Bounds.microsCeil(builder.believeDenialsFor);
    link = new Link(Connector.of(builder.options()), builder.prefix);
    link.connectWithin(builder.connectTimeout);
  }

  /**
   * A store with the defaults of {@link Builder}.
   *
   * @param uri where Redis is
   * @param more other nodes of the same cluster
   * @return the store
   */
  public static RedisStore connect(String uri, String... more) {
    return builder().uri(uri).uris(List.of(more)).connect();
  }

  /**
   * A store of your own making.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * A limiter whose state is shared by all limiters of that policy name in the same Redis.
   *
   * @param policy what is allowed, and what holds while Redis does not answer
   * @return the limiter
   */
  public RedisLimiter limiter(Policy policy) {
    return limiter(policy, MicroClock.system());
  }

  /** A limiter that waits and remembers by another clock of this process. */
  RedisLimiter limiter(Policy policy, MicroClock clock) {
    DenyCache denials = new DenyCache(clock, DENIALS_REMEMBERED, denialMicros);
    return new RedisLimiter(link, names, denials, clock, policy, nodes);
  }

  /**
   * Whether Redis decides, as far as is known from the latest decisions: for health checks.
   *
   * @return false if failure rules decide, about all keys or some
   */
  public boolean isUp() {
    return link.isUp();
  }

  /**
   * Some of the keys to which something is charged, for people who want to look around. Goes
   * through all keys in Redis, a little at a time, until it has found enough.
   *
   * @param policy the policy's name
   * @param most how many keys at most
   * @return in no order
   * @throws RedisStoreException if Redis does not answer
   */
  public Set<String> keys(String policy, int most) {
    Bounds.check("most", 1, Integer.MAX_VALUE, most);
    ScanArgs step = ScanArgs.Builder.limit(SCAN_STEP).match(names.scanPattern(policy));
    Set<String> keys = new LinkedHashSet<>();
    KeyScanCursor<String> cursor = await(link.ask("list keys", commands -> commands.scan(step)));
    while (true) {
      for (String name : cursor.getKeys()) {
        names.ownerOf(name).map(KeyNames.Owner::key).ifPresent(keys::add);
        if (keys.size() == most) {
          return keys;
        }
      }
      if (cursor.isFinished()) {
        return keys;
      }
      KeyScanCursor<String> last = cursor;
      cursor = await(link.ask("list keys", commands -> commands.scan(last, step)));
    }
  }

  /** Closes the connection; limiters of this store decide by their failure rules from then on. */
  @Override
  public void close() {
    link.close();
  }

  /** Waits for an answer that comes in a while, or not. */
  static <T> T await(CompletionStage<T> answer) {
    try {
      return answer.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RedisStoreException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /** How a store is to be. Not thread-safe. */
  public static final class Builder {
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final List<String> uris = new ArrayList<>();
    private final List<RedisURI> servers = new ArrayList<>();
    private boolean cluster;
    private String prefix = "sash";
    private int nodes = 1;
    private Duration believeDenialsFor = Duration.ofSeconds(1);
    private Duration connectTimeout = Duration.ofSeconds(1);
    private @Nullable SslOptions tls;

    private Builder() {}

    /**
     * Where Redis is; several for several nodes of a cluster.
     *
     * @param uri see {@link RedisStore}
     * @return this
     */
    public Builder uri(String uri) {
      uris.add(Objects.requireNonNull(uri, "uri must not be null"));
      return this;
    }

    /**
     * Short for {@link #uri} with each of them.
     *
     * @param uris see {@link RedisStore}
     * @return this
     */
    public Builder uris(List<String> uris) {
      uris.forEach(this::uri);
      return this;
    }

    /**
     * Where Redis is, in the words of Lettuce: for what a text cannot say, such as credentials that
     * change. In place of {@link #uri}.
     *
     * @param server one server, or sentinels that name it; its timeout becomes the {@link
     *     #connectTimeout}
     * @return this
     */
    public Builder server(RedisURI server) {
      servers.add(Objects.requireNonNull(server, "server must not be null"));
      return this;
    }

    /**
     * Where a cluster is, in the words of Lettuce. In place of {@link #uri}.
     *
     * @param nodes some of its nodes; their timeouts become the {@link #connectTimeout}
     * @return this
     */
    public Builder cluster(List<RedisURI> nodes) {
      nodes.forEach(this::server);
      cluster = true;
      return this;
    }

    /**
     * What the names of all keys in Redis begin with, so that several applications can share one.
     *
     * @param prefix 1 to 64 letters, digits, dots, colons, hyphens and underscores; {@code sash}
     *     unless given
     * @return this
     */
    public Builder prefix(String prefix) {
      this.prefix = Objects.requireNonNull(prefix, "prefix must not be null");
      return this;
    }

    /**
     * Among how many processes the limits are divided by {@link dev.sash.FailureRule#LOCAL} while
     * Redis does not answer: each admits permits / nodes, rounded down, and at least 1.
     *
     * @param nodes 1 to 10⁶; 1 unless given, so that each admits the whole limit
     * @return this
     */
    public Builder nodes(int nodes) {
      Bounds.check("nodes", 1, 1_000_000, nodes);
      this.nodes = nodes;
      return this;
    }

    /**
     * How long a denial by Redis is believed at most without asking again, and never longer than
     * its {@code retryAfter}. A refund or reset by <em>another</em> process is seen this much later
     * by requests that were denied before; by this one, at once.
     *
     * @param time zero, to ask Redis every time, up to a minute; 1 s unless given
     * @return this
     */
    public Builder believeDenialsFor(Duration time) {
      if (!Objects.requireNonNull(time, "time must not be null").isZero()) {
        Bounds.checkDuration("time to believe denials", LONGEST, time);
      }
      believeDenialsFor = time;
      return this;
    }

    /**
     * How long to wait for a connection: each attempt, and {@link #connect} for the first.
     *
     * @param timeout more than zero, at most a minute; 1 s unless given
     * @return this
     */
    public Builder connectTimeout(Duration timeout) {
      Bounds.checkDuration("connect timeout", LONGEST, timeout);
      connectTimeout = timeout;
      return this;
    }

    /**
     * Whom to trust with TLS, in place of the authorities that the JVM trusts.
     *
     * @param pem a file of certificates
     * @return this
     */
    public Builder trustedCertificates(Path pem) {
      Objects.requireNonNull(pem, "pem must not be null");
      return tls(SslOptions.builder().jdkSslProvider().trustManager(pem.toFile()).build());
    }

    /**
     * How to speak TLS, where the URI says that it is spoken: keys, trust, protocols. In place of
     * {@link #trustedCertificates}.
     *
     * @param options those of Lettuce
     * @return this
     */
    public Builder tls(SslOptions options) {
      tls = Objects.requireNonNull(options, "options must not be null");
      return this;
    }

    /**
     * The store. Waits for Redis no longer than the {@link #connectTimeout}, and goes on trying
     * afterwards.
     *
     * @return a new store
     * @throws IllegalArgumentException if the URIs or the prefix cannot be used
     */
    public RedisStore connect() {
      return new RedisStore(this);
    }

    private Connector.Options options() {
      if (servers.isEmpty()) {
        return new Connector.Options(
            RedisUris.parse(uris, connectTimeout), RedisUris.isCluster(uris), connectTimeout, tls);
      }
      if (!uris.isEmpty() || (!cluster && servers.size() > 1)) {
        throw new IllegalArgumentException(
            "a store must have one server, one cluster or uris, had "
                + servers.size()
                + " servers and "
                + uris.size()
                + " uris");
      }
      return new Connector.Options(
          RedisUris.within(servers, connectTimeout), cluster, connectTimeout, tls);
    }
  }
}
