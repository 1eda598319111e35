package dev.sash.server.rls;

import dev.sash.config.Configuration;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.engine.Engine;
import dev.sash.store.Store;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The server on the loopback address, and a channel to it. */
final class RlsServer implements AutoCloseable {
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final GrpcServer grpc;
  final int port;
  final ManagedChannel channel;

  RlsServer(Configuration configuration) {
    this(InMemoryStore.create(), configuration);
  }

  RlsServer(Store store, Configuration configuration) {
    Engine engine = new Engine(store, "memory", configuration);
    // Longer than any pause of a busy machine: the tests count what the store says.
    Duration deadline = Duration.ofSeconds(30);
    grpc = new GrpcServer(engine, GrpcOptions.at("127.0.0.1", 0), registry, deadline);
    port = grpc.listen();
    channel =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .usePlaintext()
            .build();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    grpc.close();
  }
}
