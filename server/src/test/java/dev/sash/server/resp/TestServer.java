package dev.sash.server.resp;

import dev.sash.config.Configuration;
import dev.sash.memory.InMemoryStore;
import dev.sash.micrometer.SashMeters;
import dev.sash.server.PatientStore;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Refunds;
import dev.sash.server.net.NetworkBounds;
import dev.sash.server.net.NetworkUsage;
import dev.sash.store.Store;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** A server on a free port of the loopback address, with a few policies. */
final class TestServer implements AutoCloseable {
  private static final String YAML =
      """
      policies:
        api: {limit: 3/1h}
        crowd: {limit: 500/1h}
        wide: {limit: 1000000/1h}
      ad-hoc-limits: true
      """;

  private final Vertx vertx = Vertx.vertx();
  private final Store store;
  private final Engine engine;
  private final RespServer server;
  private final NetworkUsage usage;
  private final int port;
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  TestServer() {
    this(RespOptions.builder());
  }

  TestServer(RespOptions.Builder options) {
    this(InMemoryStore.create(), options);
  }

  TestServer(Store store, RespOptions.Builder options) {
    this(store, options, NetworkBounds.defaults());
  }

  TestServer(RespOptions.Builder options, NetworkBounds bounds) {
    this(InMemoryStore.create(), options, bounds);
  }

  private TestServer(Store store, RespOptions.Builder options, NetworkBounds bounds) {
    this.usage = NetworkUsage.within(bounds);
    this.store = store;
    Store metered = new SashMeters(registry).instrument(new PatientStore(store));
    this.engine = new Engine(metered, "memory", Configuration.parse(YAML, "test"));
    this.server =
        new RespServer(
            vertx, engine, new Refunds(engine, null), options.port(0).build(), usage, registry);
    this.port = await(server.listen());
  }

  int port() {
    return port;
  }

  Engine engine() {
    return engine;
  }

  RespServer server() {
    return server;
  }

  /** The bytes of requests that are not complete. */
  long unfinishedBytes() {
    return usage.input().used();
  }

  /** Connects from 127.0.0.{@code host}. */
  RawClient connectFrom(int host) throws IOException {
    return new RawClient(port, host);
  }

  RawClient connect() throws IOException {
    return new RawClient(port);
  }

  /** How many connections the server has. */
  int connections() {
    return (int) registry.get("sash.resp.connections").gauge().value();
  }

  static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    await(server.close());
    await(vertx.close());
    store.close();
  }
}
