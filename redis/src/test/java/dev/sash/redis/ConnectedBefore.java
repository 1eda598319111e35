package dev.sash.redis;

import dev.sash.testkit.redis.RedisServer;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Connects before the tests of a class: in the first two seconds after the first connection of a
 * process, its callers wait longer for Redis.
 */
final class ConnectedBefore implements BeforeAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) {
    try (RedisServer server = RedisServer.start()) {
      RedisStore.connect(server.uri()).close();
    }
  }
}
