package dev.sash.server.rls;

import dev.sash.config.Configuration;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.engine.Engine;
import dev.sash.store.Store;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The service behind a real HTTP server on the loopback address, and a channel to it. */
final class RlsServer implements AutoCloseable {
  private final Vertx vertx = Vertx.vertx();
  final RlsService service;
  final HttpServer http;
  final ManagedChannel channel;

  RlsServer(Configuration configuration) {
    this(InMemoryStore.create(), configuration);
  }

  RlsServer(Store store, Configuration configuration) {
    Engine engine = new Engine(store, "memory", configuration);
    // Longer than any pause of a busy machine: the tests count what the store says.
    service = new RlsService(engine, Duration.ofSeconds(30));
    http =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  if (service.accepts(request)) {
                    service.handle(request);
                  } else {
                    request.response().setStatusCode(404).end();
                  }
                })
            .listen(0, "127.0.0.1")
            .await();
    channel =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port()))
            .usePlaintext()
            .build();
  }

  int port() {
    return http.actualPort();
  }

  Vertx vertx() {
    return vertx;
  }

  @Override
  public void close() {
    channel.shutdownNow();
    vertx.close().await();
  }
}
