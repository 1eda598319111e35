package dev.sash.server.resp;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Lets in whoever tells the password. Who guesses is limited, by address: {@value #TRIES} wrong
 * ones a minute, and after that not even the right one is taken. Thread-safe.
 */
final class Gate {
  static final int TRIES = 20;
  private static final int MAX_ADDRESSES = 10_000;

  private final @Nullable RespCredentials credentials;
  private final RateLimiter failures =
      InMemoryStore.builder()
          .maxKeys(MAX_ADDRESSES)
          .build()
          .limiter(Policy.of("resp-auth", Limit.slidingLog(TRIES, Duration.ofMinutes(1))));

  Gate(@Nullable RespCredentials credentials) {
    this.credentials = credentials;
  }

  boolean isGuarded() {
    return credentials != null;
  }

  /**
   * Returns if the credentials are right.
   *
   * @throws CommandException otherwise
   */
  void pass(String peer, byte[] user, byte[] password) {
    if (credentials == null) {
      throw CommandException.of("AUTH is not needed: no password is configured");
    }
    if (failures.peek(peer).remaining() == 0) {
      throw CommandException.of("too many wrong passwords from this address, try again later");
    }
    if (!credentials.match(user, password)) {
      failures.tryAcquire(peer);
      throw new CommandException("WRONGPASS", "invalid username-password pair");
    }
  }
}
