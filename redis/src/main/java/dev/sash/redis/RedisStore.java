package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.MicroClock;
import dev.sash.internal.Bounds;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.CircuitBreakers;
import dev.sash.store.DenyCache;
import dev.sash.store.FailureRules;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.SetArgs;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.RedisCodec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps state in Redis, where all processes with the same prefix share it. All limiters of a store
 * share one connection.
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
 *       more: a Redis Cluster, found through any of the servers named.
 * </ul>
 *
 * <p>A decision is one round trip, which requests made at the same time share. It takes these
 * steps, and ends at the first that decides:
 *
 * <ol>
 *   <li>{@link DenyCache}: a recent denial by Redis that still holds;
 *   <li>{@link CircuitBreakers}: Redis, unless it has not been responding lately, within the
 *       policy's {@link dev.sash.Policy#deadline};
 *   <li>{@link FailureRules}: the policy's {@link dev.sash.Policy#failureRule}.
 * </ol>
 *
 * <p>{@link Decision#source} says which it was. No step throws because Redis is unavailable, except
 * for resets and inspections, and no request is kept for later: one that was not answered in time
 * may have been charged, never twice. A store can be created while Redis is unavailable.
 *
 * <p>Futures complete on an I/O thread unless an {@linkplain Builder#callbackExecutor executor} is
 * given: what depends on them must not block there. Thread-safe.
 */
public final class RedisStore implements Store {
  private static final int SCAN_STEP = 1_000;
  private static final int MAX_SHARED_BYTES = 1 << 20;

  private final Link link;
  private final KeyNames names;
  private final FailureRules failureRules;

  /** Everything that a request passes through, from the outside in. */
  private final Store pipeline;

  private RedisStore(Builder builder) {
    names = new KeyNames(builder.prefix);
    link = new Link(builder.connector(), new Probe(names));
    Batcher batcher = new Batcher(link, names, builder.batching, builder.callbackExecutor);
    link.onNewSession(batcher::onNewSession);
    RedisScripts scripts = new RedisScripts(link, names, batcher, builder.clock);
    CircuitBreakers breakers = new CircuitBreakers(scripts, "Redis");
    failureRules = new FailureRules(breakers, builder.nodes, builder::newFallback);
    long ttlMicros = Bounds.microsCeil(builder.denyCacheTtl);
    pipeline = ttlMicros == 0 ? failureRules : new DenyCache(failureRules, ttlMicros);
    link.connectWithin(builder.startTimeout());
  }

  /**
   * Connects with the defaults of {@link Builder}.
   *
   * @param uri where Redis is
   * @param more other servers of the same cluster
   * @return the store
   */
  public static RedisStore connect(String uri, String... more) {
    return builder().uri(uri).uris(List.of(more)).connect();
  }

  /**
   * Returns a store on connections of an existing client, with the defaults of {@link Builder}.
   *
   * @param client see {@link Builder#client(RedisClient)}
   * @return the store
   */
  public static RedisStore using(RedisClient client) {
    return builder().client(client).connect();
  }

  /**
   * Returns a builder.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns options for a Lettuce client that a store can {@linkplain Builder#client(RedisClient)
   * share}: commands are sent once and now, or fail.
   *
   * @return the options, to which others may be added
   */
  public static ClientOptions.Builder clientOptions() {
    return Connector.limiterOptions(ClientOptions.builder());
  }

  /**
   * Returns options for a Lettuce cluster client that a store can {@linkplain
   * Builder#client(RedisClusterClient) share}.
   *
   * @return the options, to which others may be added
   */
  public static ClusterClientOptions.Builder clusterClientOptions() {
    return Connector.limiterOptions(ClusterClientOptions.builder());
  }

  /**
   * Returns the codec of connections that a store can {@linkplain Builder#connection share}.
   *
   * @return names as UTF-8, values as bytes
   */
  public static RedisCodec<String, byte[]> codec() {
    return Connector.CODEC;
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    return pipeline.decide(operation, limits, key, permits);
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    return pipeline.decideAsync(operation, limits, key, permits);
  }

  /** Returns the clock of this process, for waiting; decisions are dated by Redis. */
  @Override
  public MicroClock clock() {
    return pipeline.clock();
  }

  @Override
  public boolean isUp() {
    return pipeline.isUp();
  }

  /**
   * Returns the number of decisions by failure rules.
   *
   * @return since the store was created
   */
  public long fallbacks() {
    return failureRules.decisions();
  }

  /**
   * Returns some of the keys to which something is charged, for support and debugging. Scans all
   * keys in Redis, a little at a time, until it has found enough.
   *
   * @param policy the policy's name
   * @param most the most keys to return
   * @return in no order
   * @throws StoreException if Redis is unavailable
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

  /**
   * Replaces a value that all processes with the same prefix share, such as a report of this
   * process for the others. It is not the state of any key. Never blocks; needs no more rights than
   * decisions.
   *
   * @param name 1 to 64 letters, digits, dots, hyphens and underscores
   * @param value at most 1 MiB
   * @param ttl the time after which the value disappears, 1 ms to 1 minute
   * @return completes with the former value, empty if there was none; exceptionally with a {@link
   *     StoreException} if Redis is unavailable
   */
  public CompletionStage<Optional<byte[]>> replaceShared(String name, byte[] value, Duration ttl) {
    String key = names.shared(name);
    Bounds.check("bytes of value", 0, MAX_SHARED_BYTES, value.length);
    Bounds.checkDuration("ttl", Duration.ofMinutes(1), ttl);
    SetArgs expiry = SetArgs.Builder.px(Math.max(1, ttl.toMillis()));
    return link.ask("replace a value", commands -> commands.setGet(key, value, expiry))
        .thenApply(Optional::ofNullable);
  }

  /**
   * Returns a value that processes with the same prefix share.
   *
   * @param name as for {@link #replaceShared}
   * @return completes with the value, empty if there is none; exceptionally with a {@link
   *     StoreException} if Redis is unavailable
   */
  public CompletionStage<Optional<byte[]>> shared(String name) {
    String key = names.shared(name);
    return link.ask("read a value", commands -> commands.get(key)).thenApply(Optional::ofNullable);
  }

  /**
   * Returns a document that all processes with the same prefix share.
   *
   * @param name 1 to 64 letters, digits, hyphens and underscores
   * @return the document, on the connection of this store; cheap to create
   */
  public RedisDocument document(String name) {
    return new RedisDocument(link, names, name);
  }

  /** Closes the connection; limiters of this store decide by their failure rules from then on. */
  @Override
  public void close() {
    pipeline.close();
  }

  /** Waits for a reply that has a deadline. */
  private static <T> T await(CompletionStage<T> answer) {
    try {
      return answer.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw Failures.of(e);
    }
  }

  /** Builder for {@link RedisStore}. Not thread-safe. */
  public static final class Builder {
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration DEFAULT_START_TIMEOUT = Duration.ofSeconds(5);

    private final List<String> uris = new ArrayList<>();
    private final List<RedisURI> servers = new ArrayList<>();
    private boolean cluster;
    private @Nullable Connector existing;
    private String prefix = "sash";
    private int nodes = 1;
    private Duration denyCacheTtl = Duration.ofSeconds(1);
    private @Nullable Duration connectTimeout;
    private @Nullable SslOptions tls;
    private @Nullable Supplier<RedisCredentials> credentials;
    private boolean batching = true;
    private @Nullable Executor callbackExecutor;
    private @Nullable Long fallbackMaxBytes;
    private MicroClock clock = MicroClock.system();

    private Builder() {}

    /**
     * Adds the URI of Redis; several for several servers of a cluster.
     *
     * @param uri see {@link RedisStore}
     * @return this
     */
    public Builder uri(String uri) {
      uris.add(Objects.requireNonNull(uri, "uri must not be null"));
      return this;
    }

    /**
     * Adds URIs: short for {@link #uri} with each of them.
     *
     * @param uris see {@link RedisStore}
     * @return this
     */
    public Builder uris(List<String> uris) {
      uris.forEach(this::uri);
      return this;
    }

    /**
     * Sets the server as Lettuce describes it, instead of a {@link #uri}: for what a text cannot
     * express, such as credentials that change.
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
     * Sets the servers of a cluster as Lettuce describes them, instead of a {@link #uri}.
     *
     * @param seeds some servers of the cluster; their timeouts become the {@link #connectTimeout}
     * @return this
     */
    public Builder cluster(List<RedisURI> seeds) {
      seeds.forEach(this::server);
      cluster = true;
      return this;
    }

    /**
     * Sets an existing client to connect with, instead of a {@link #uri}. The store opens one
     * connection, and closes it; the client stays open.
     *
     * @param client must reject commands while it is disconnected, as with {@link #clientOptions}
     * @return this
     * @throws IllegalArgumentException if it does not: requests could be charged late or twice
     */
    public Builder client(RedisClient client) {
      existing = new Connector.Shared(Objects.requireNonNull(client, "client must not be null"));
      return this;
    }

    /**
     * Sets an existing cluster client to connect with, instead of a {@link #uri}. The store opens
     * one connection, and closes it; the client stays open.
     *
     * @param client must reject commands while it is disconnected, as with {@link
     *     #clusterClientOptions}, and should refresh its topology
     * @return this
     * @throws IllegalArgumentException if it does not: requests could be charged late or twice
     */
    public Builder client(RedisClusterClient client) {
      existing =
          Connector.Cluster.shared(Objects.requireNonNull(client, "client must not be null"));
      return this;
    }

    /**
     * Sets an existing connection to use, instead of a {@link #uri}. It stays open, and the store
     * never connects anew: if it breaks, Lettuce has to reconnect it.
     *
     * @param connection with the {@link #codec}; its client must reject commands while it is
     *     disconnected, as with {@link #clientOptions}
     * @return this
     * @throws IllegalArgumentException if it does not: requests could be charged late or twice
     */
    public Builder connection(StatefulRedisConnection<String, byte[]> connection) {
      existing =
          new Connector.Given(Objects.requireNonNull(connection, "connection must not be null"));
      return this;
    }

    /**
     * Sets what the names of all keys in Redis begin with, so that several applications can share
     * one Redis.
     *
     * @param prefix 1 to 64 letters, digits, dots, colons, hyphens and underscores; {@code sash} by
     *     default
     * @return this
     */
    public Builder prefix(String prefix) {
      this.prefix = Objects.requireNonNull(prefix, "prefix must not be null");
      return this;
    }

    /**
     * Sets the number of processes that share the limits. While Redis is unavailable, {@link
     * dev.sash.FailureRule#LOCAL} admits permits / nodes in each, rounded down, and at least 1.
     *
     * @param nodes 1 to 10⁶; 1 by default, so that each admits the whole limit
     * @return this
     */
    public Builder nodes(int nodes) {
      Bounds.check("nodes", 1, 1_000_000, nodes);
      this.nodes = nodes;
      return this;
    }

    /**
     * Sets the longest time to believe a denial by Redis without asking again; never longer than
     * its {@code retryAfter}. A refund or reset by <em>another</em> process is seen this much later
     * by requests that were denied before; one by this process, at once.
     *
     * @param ttl zero, to ask Redis every time, up to a minute; 1 s by default
     * @return this
     */
    public Builder denyCacheTtl(Duration ttl) {
      if (!Objects.requireNonNull(ttl, "ttl must not be null").isZero()) {
        Bounds.checkDuration("TTL of the deny cache", LONGEST, ttl);
      }
      denyCacheTtl = ttl;
      return this;
    }

    /**
     * Sets the longest time to wait for a connection: for each attempt, unless an existing client
     * makes it, and in {@link #connect}.
     *
     * @param timeout more than zero, at most a minute; 1 s by default, except that {@link #connect}
     *     and the first handshake have 5 s, because code may still have to be loaded
     * @return this
     */
    public Builder connectTimeout(Duration timeout) {
      Bounds.checkDuration("connect timeout", LONGEST, timeout);
      connectTimeout = timeout;
      return this;
    }

    /**
     * Sets the certificates to trust with TLS, instead of the authorities that the JVM trusts.
     *
     * @param pem a file of certificates
     * @return this
     */
    public Builder trustedCertificates(Path pem) {
      Objects.requireNonNull(pem, "pem must not be null");
      return tls(SslOptions.builder().jdkSslProvider().trustManager(pem.toFile()).build());
    }

    /**
     * Sets how TLS is used if the URI asks for it: keys, trust, protocols. Instead of {@link
     * #trustedCertificates}.
     *
     * @param options those of Lettuce
     * @return this
     */
    public Builder tls(SslOptions options) {
      tls = Objects.requireNonNull(options, "options must not be null");
      return this;
    }

    /**
     * Sets the source of user name and password, instead of those in the URI. It is called for
     * every connection and reconnection, so that new credentials take effect without a restart, and
     * must return quickly: reading a file is fine. If it throws, the connection fails and is
     * retried.
     *
     * @param credentials returns the current credentials
     * @return this
     */
    public Builder credentials(Supplier<RedisCredentials> credentials) {
      this.credentials = Objects.requireNonNull(credentials, "credentials must not be null");
      return this;
    }

    /**
     * Sets whether requests that wait while others are on their way go out together, in one call of
     * the script. Without it every request is a call of its own: for a proxy in front of Redis that
     * does not pass on scripts with several keys, or to see each request in {@code MONITOR}.
     *
     * @param batching true by default
     * @return this
     */
    public Builder batching(boolean batching) {
      this.batching = batching;
      return this;
    }

    /**
     * Sets the executor on which futures complete.
     *
     * @param executor the I/O thread by default
     * @return this
     */
    public Builder callbackExecutor(Executor executor) {
      callbackExecutor = Objects.requireNonNull(executor, "executor must not be null");
      return this;
    }

    /**
     * Sets the most bytes that {@link dev.sash.FailureRule#LOCAL} may take in this process; see
     * {@link InMemoryStore.Builder#maxBytes}.
     *
     * @param maxBytes 1 or more; a quarter of the maximum heap by default
     * @return this
     */
    public Builder fallbackMaxBytes(long maxBytes) {
      Bounds.check("fallbackMaxBytes", 1, Long.MAX_VALUE, maxBytes);
      fallbackMaxBytes = maxBytes;
      return this;
    }

    /** Sets another clock of this process to wait and to cache by. */
    Builder clock(MicroClock clock) {
      this.clock = clock;
      return this;
    }

    /**
     * Connects. Waits for Redis no longer than the {@link #connectTimeout}, and continues to try
     * afterwards.
     *
     * @return a new store
     * @throws IllegalArgumentException if the URIs or the prefix cannot be used
     */
    public RedisStore connect() {
      return new RedisStore(this);
    }

    private Store newFallback() {
      InMemoryStore.Builder store = InMemoryStore.builder();
      return (fallbackMaxBytes == null ? store : store.maxBytes(fallbackMaxBytes)).build();
    }

    private Connector connector() {
      if (existing == null) {
        return Connector.of(options());
      }
      if (credentials != null) {
        throw new IllegalArgumentException(
            "credentials must not be set for an existing client, which has its own");
      }
      if (!uris.isEmpty() || !servers.isEmpty()) {
        throw new IllegalArgumentException(
            "a store must have a client or uris, not both, had "
                + (uris.size() + servers.size())
                + " uris");
      }
      return existing;
    }

    private Duration startTimeout() {
      return connectTimeout == null ? DEFAULT_START_TIMEOUT : connectTimeout;
    }

    private Connector.Options options() {
      Duration timeout = connectTimeout == null ? DEFAULT_CONNECT_TIMEOUT : connectTimeout;
      Duration handshake = startTimeout();
      if (servers.isEmpty()) {
        return new Connector.Options(
            withCredentials(RedisUris.parse(uris, handshake)),
            RedisUris.isCluster(uris),
            timeout,
            tls);
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
          withCredentials(RedisUris.within(servers, handshake)), cluster, timeout, tls);
    }

    private List<RedisURI> withCredentials(List<RedisURI> uris) {
      if (credentials != null) {
        RedisCredentialsProvider provider = RedisCredentialsProvider.from(credentials);
        uris.forEach(uri -> uri.setCredentialsProvider(provider));
      }
      return uris;
    }
  }
}
