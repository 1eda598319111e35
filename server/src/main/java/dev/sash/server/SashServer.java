package dev.sash.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.memory.InMemoryStore;
import dev.sash.micrometer.SashMeters;
import dev.sash.redis.RedisStore;
import dev.sash.server.access.Receipts;
import dev.sash.server.access.RedisLogin;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Refunds;
import dev.sash.server.http.HttpApi;
import dev.sash.server.http.Operations;
import dev.sash.server.net.ByteBudget;
import dev.sash.server.net.NetworkUsage;
import dev.sash.server.net.TlsFiles;
import dev.sash.server.override.FileStorage;
import dev.sash.server.override.OverrideKeeper;
import dev.sash.server.override.OverrideStorage;
import dev.sash.server.override.RedisStorage;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.resp.RespServer;
import dev.sash.server.rls.GrpcOptions;
import dev.sash.server.rls.GrpcServer;
import dev.sash.server.rls.GrpcTls;
import dev.sash.server.statistics.Fleet;
import dev.sash.server.statistics.Statistics;
import dev.sash.store.Store;
import io.lettuce.core.RedisCredentials;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rate limiting as a service. Thread-safe.
 *
 * <pre>{@code
 * try (SashServer server = SashServer.start(ServerOptions.of(HttpOptions.at("127.0.0.1", 8080)))) {
 *   server.awaitClosed();
 * }
 * }</pre>
 */
public final class SashServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SashServer.class);
  private static final int START_SECONDS = 30;
  private static final int DRAIN_MILLIS = 1_000;

  /** Half of the time in which all servers of a fleet follow. */
  private static final Duration OVERRIDES_INTERVAL = Duration.ofMillis(500);

  private final ServerOptions options;
  private final PrometheusMeterRegistry registry;
  private final CurrentConfiguration configuration;
  private final Store store;
  private final Vertx vertx;
  private final OverrideKeeper overrides;
  private final @Nullable StateKeeper stateKeeper;
  private final @Nullable Fleet fleet;
  private final HttpApi http;
  private final @Nullable GrpcServer grpc;
  private final @Nullable RespServer resp;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private volatile boolean ready;
  private int port;
  private int grpcPort;
  private int respPort;
  private boolean processMetered;

  private SashServer(
      ServerOptions options, CurrentConfiguration configuration, Store store, Vertx vertx) {
    this.options = options;
    this.configuration = configuration;
    this.store = store;
    this.vertx = vertx;
    this.registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    registry
        .config()
        .meterFilter(
            options.isRemote()
                ? new LatencyBuckets()
                // To time it would take as long as the decision itself.
                : MeterFilter.denyNameStartsWith("sash.store.latency"));
    SashMeters meters = new SashMeters(registry);
    String storeName = options.isRemote() ? "redis" : "memory";
    meters.watchStore(storeName, store::isUp);
    Statistics statistics = statistics(options);
    this.overrides =
        new OverrideKeeper(overrideStorage(options, store), InstantSource.system(), registry);
    Engine engine =
        new Engine(meters.instrument(store), storeName, configuration.get(), statistics, overrides);
    configuration.follow(engine, registry);
    this.fleet = fleet(statistics, store);
    if (statistics != null) {
      everySecond(vertx, statistics, fleet);
    }
    Gauge.builder("sash.server.ready", this, server -> server.ready ? 1 : 0)
        .description("1 if requests should be sent here, 0 while the server starts or stops")
        .register(registry);
    NetworkUsage usage = NetworkUsage.within(options.network());
    Refunds refunds = new Refunds(engine, receipts(options, store));
    this.http = new HttpApi(vertx, engine, refunds, new Own(), usage, registry, options.http());
    GrpcOptions grpcOptions = options.grpc();
    this.grpc = grpcOptions == null ? null : grpc(vertx, engine, grpcOptions, usage, registry);
    Gauge.builder("sash.server.input.bytes", usage.input(), ByteBudget::used)
        .description("Bytes of requests that are not complete")
        .strongReference(true)
        .register(registry);
    RespOptions respOptions = options.resp();
    this.resp =
        respOptions == null
            ? null
            : new RespServer(vertx, engine, refunds, respOptions, usage, registry);
    // Last: what fails before leaves nothing behind.
    this.stateKeeper = stateKeeper(options, store);
    overrides.start(OVERRIDES_INTERVAL);
  }

  private static @Nullable Statistics statistics(ServerOptions options) {
    return options.statistics().enabled()
        ? new Statistics(options.statistics().keys(), InstantSource.system())
        : null;
  }

  private static @Nullable Fleet fleet(@Nullable Statistics statistics, Store store) {
    return statistics == null || !(store instanceof RedisStore redis)
        ? null
        : new Fleet(statistics, new StatisticsBoard(redis));
  }

  private static void everySecond(Vertx vertx, Statistics statistics, @Nullable Fleet fleet) {
    Callable<Void> work =
        () -> {
          statistics.drain();
          if (fleet != null) {
            var unused = fleet.publish();
          }
          return null;
        };
    vertx.setPeriodic(DRAIN_MILLIS, timer -> vertx.executeBlocking(work));
  }

  private static GrpcServer grpc(
      Vertx vertx, Engine engine, GrpcOptions options, NetworkUsage usage, MeterRegistry registry) {
    TlsFiles tls = options.tls();
    return new GrpcServer(
        engine, options, tls == null ? null : GrpcTls.following(vertx, tls), usage, registry);
  }

  /** Receipts of a server alone need no secret that others know. */
  private static @Nullable Receipts receipts(ServerOptions options, Store store) {
    String configured = options.receiptSecret();
    if (configured == null && options.isRemote()) {
      return null;
    }
    byte[] secret = new byte[32];
    if (configured == null) {
      new SecureRandom().nextBytes(secret);
    } else {
      secret = configured.getBytes(UTF_8);
    }
    return new Receipts(secret, store, InstantSource.system());
  }

  private static OverrideStorage overrideStorage(ServerOptions options, Store store) {
    if (store instanceof RedisStore redis) {
      return new RedisStorage(redis);
    }
    Path directory = options.stateDirectory();
    return directory == null ? OverrideStorage.inMemory() : new FileStorage(directory);
  }

  private static @Nullable StateKeeper stateKeeper(ServerOptions options, Store store) {
    Path directory = options.stateDirectory();
    if (directory == null) {
      return null;
    }
    if (!(store instanceof InMemoryStore memory)) {
      LOG.info("State directory {} is not used: Redis keeps the state", directory);
      return null;
    }
    return StateKeeper.start(memory, directory, options.stateInterval());
  }

  private static Vertx vertx() {
    return Vertx.vertx(
        new VertxOptions()
            .setEventLoopPoolSize(Runtime.getRuntime().availableProcessors())
            // No files are served.
            .setFileSystemOptions(
                new FileSystemOptions()
                    .setFileCachingEnabled(false)
                    .setClassPathResolvingEnabled(false)));
  }

  private static Store store(ServerOptions options) {
    long maxBytes = options.maxBytes();
    if (!options.isRemote()) {
      InMemoryStore.Builder memory = InMemoryStore.builder();
      return (maxBytes == 0 ? memory : memory.maxBytes(maxBytes)).build();
    }
    RedisStore.Builder redis =
        RedisStore.builder().uris(options.redisUris()).nodes(options.nodes());
    RedisLogin login = options.redisLogin();
    if (login != null) {
      String user = login.user().isEmpty() ? null : login.user();
      redis.credentials(() -> RedisCredentials.just(user, login.password().get()));
    }
    return (maxBytes == 0 ? redis : redis.fallbackMaxBytes(maxBytes)).connect();
  }

  /**
   * Starts a server.
   *
   * @param options how it is to be
   * @return a server that answers
   * @throws dev.sash.config.ConfigurationException if the configuration cannot be used
   * @throws IllegalArgumentException if the options cannot be
   * @throws IllegalStateException if it does not start, such as for a port that is taken
   */
  public static SashServer start(ServerOptions options) {
    CurrentConfiguration configuration = new CurrentConfiguration(options.configuration());
    // The transport takes as long to load as everything else together.
    CompletableFuture<Vertx> transport = CompletableFuture.supplyAsync(SashServer::vertx);
    Store store;
    try {
      store = store(options);
    } catch (RuntimeException e) {
      configuration.close();
      await(transport.join().close(), START_SECONDS);
      throw e;
    }
    SashServer server;
    try {
      server = new SashServer(options, configuration, store, transport.join());
    } catch (RuntimeException e) {
      configuration.close();
      store.close();
      await(transport.join().close(), START_SECONDS);
      throw e;
    }
    try {
      server.port =
          listening("HTTP", options.http().host(), options.http().port(), server.http::listen);
      if (server.grpc != null) {
        server.grpcPort = server.grpc.listen();
      }
      RespOptions resp = options.resp();
      if (server.resp != null && resp != null) {
        server.respPort = listening("RESP", resp.host(), resp.port(), server.resp::listen);
      }
      server.ready = true;
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /**
   * Where HTTP is spoken.
   *
   * @return the port
   */
  public int port() {
    return port;
  }

  /** When somebody looks for the first time: the start has no use for it. */
  private synchronized void meterTheProcess() {
    if (!processMetered) {
      processMetered = true;
      new JvmMemoryMetrics().bindTo(registry);
      new JvmThreadMetrics().bindTo(registry);
      new ProcessorMetrics().bindTo(registry);
      new UptimeMetrics().bindTo(registry);
    }
  }

  /**
   * Returns the port of Envoy's protocol.
   *
   * @return the port; 0 if gRPC is disabled
   */
  public int grpcPort() {
    return grpcPort;
  }

  /**
   * Where RESP is spoken.
   *
   * @return the port; 0 if it is not
   */
  public int respPort() {
    return respPort;
  }

  /**
   * Reads the configuration again.
   *
   * @throws dev.sash.config.ConfigurationException if it cannot be used; the old one stays
   */
  public void reload() {
    configuration.reload();
  }

  /**
   * The policies in force.
   *
   * @return their names, in the order of the files
   */
  public Set<String> policies() {
    return configuration.get().policies().keySet();
  }

  /** Waits until the server is closed. */
  public void awaitClosed() {
    closed.join();
  }

  /**
   * Stops: says that it is not ready, goes on for the drain delay, answers what is under way, and
   * ends. A second call waits for the first.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (!closed.isDone()) {
        stop();
        closed.complete(null);
      }
    }
  }

  private void stop() {
    if (ready) {
      ready = false;
      if (grpc != null) {
        grpc.drain();
      }
      LOG.info("draining");
      pause(options.drainDelay().toMillis());
    }
    if (grpc != null) {
      quietly("gRPC", grpc::close);
    }
    quietly(
        "HTTP", () -> await(http.close(), options.http().bounds().drainTimeout().toSeconds() + 5));
    if (resp != null) {
      quietly("RESP", () -> await(resp.close(), START_SECONDS));
    }
    quietly("configuration", configuration::close);
    if (stateKeeper != null) {
      quietly("state", stateKeeper::close);
    }
    quietly("overrides", overrides::close);
    quietly("store", store::close);
    quietly("event loops", () -> await(vertx.close(), START_SECONDS));
    registry.close();
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // then without delay
    }
  }

  private static void quietly(String what, Runnable ending) {
    try {
      ending.run();
    } catch (RuntimeException e) {
      LOG.warn("stopping {} failed", what, e);
    }
  }

  /** Opens a port, or says which one cannot be opened. */
  private static int listening(
      String protocol, String host, int port, Supplier<Future<Integer>> listen) {
    try {
      return await(listen.get(), START_SECONDS);
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          "cannot listen for %s on %s, port %d: %s".formatted(protocol, host, port, e.getMessage()),
          e);
    }
  }

  private static <T> T await(Future<T> future, long seconds) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(seconds, TimeUnit.SECONDS);
    } catch (ExecutionException | CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException(String.valueOf(cause.getMessage()), cause);
    } catch (TimeoutException e) {
      throw new IllegalStateException("took longer than " + seconds + " seconds", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** What the edges see of the server. */
  private final class Own implements Operations {
    @Override
    public boolean isReady() {
      return ready;
    }

    @Override
    public ConfigurationStatus configuration() {
      return configuration.status();
    }

    @Override
    public void reload() {
      configuration.reload();
    }

    @Override
    public @Nullable Fleet fleet() {
      return fleet;
    }

    @Override
    public OverrideKeeper overrides() {
      return overrides;
    }

    @Override
    public String metrics() {
      meterTheProcess();
      return registry.scrape();
    }
  }
}
