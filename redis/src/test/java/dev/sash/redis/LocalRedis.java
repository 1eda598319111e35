package dev.sash.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;

/**
 * One real {@code redis-server} for all tests of this JVM, on a port of its own: the one on the
 * PATH, or the one that {@code -Dsash.redis=} names.
 */
final class LocalRedis {
  private static final LocalRedis INSTANCE = new LocalRedis();

  private final StatefulRedisConnection<String, String> connection;

  private LocalRedis() {
    int port = freePort();
    Process server = start(port);
    RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port));
    client.setOptions(ClientOptions.builder().autoReconnect(false).build());
    connection = connect(client);
    Runtime.getRuntime().addShutdownHook(new Thread(server::destroyForcibly));
  }

  static StatefulRedisConnection<String, String> connection() {
    return INSTANCE.connection;
  }

  private static Process start(int port) {
    try {
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
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static StatefulRedisConnection<String, String> connect(RedisClient client) {
    for (int attempt = 0; ; attempt++) {
      try {
        return client.connect();
      } catch (RedisConnectionException e) {
        if (attempt == 100) {
          throw e;
        }
        try {
          Thread.sleep(50);
        } catch (InterruptedException interrupted) {
          throw new IllegalStateException(interrupted);
        }
      }
    }
  }
}
