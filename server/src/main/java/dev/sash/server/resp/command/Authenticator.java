package dev.sash.server.resp.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.access.OperatorTokens;
import dev.sash.server.access.RespCredentials;
import dev.sash.server.access.Right;
import dev.sash.server.net.PeerAddress;
import dev.sash.server.resp.codec.CommandException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates clients by password, and operators by token: {@code AUTH sash-admin <token>} and
 * {@code AUTH sash-refund <token>}. Thread-safe.
 *
 * <p>Wrong passwords are counted by network, see {@link PeerAddress#network}. After {@value #TRIES}
 * in a minute, further ones end the connection. The correct password is always accepted: otherwise
 * a client could lock out others in its network.
 */
final class Authenticator {
  static final int TRIES = 20;
  private static final String ADMIN_USER = "sash-admin";
  private static final String REFUND_USER = "sash-refund";
  private static final int MAX_NETWORKS = 10_000;

  private final @Nullable RespCredentials credentials;
  private final OperatorTokens tokens;
  private final RateLimiter failures =
      InMemoryStore.builder()
          .maxKeys(MAX_NETWORKS)
          .build()
          .limiter(Policy.of("resp-auth", Limit.slidingLog(TRIES, Duration.ofMinutes(1))));

  Authenticator(@Nullable RespCredentials credentials, OperatorTokens tokens) {
    this.credentials = credentials;
    this.tokens = tokens;
  }

  /** Returns whether clients must authenticate. */
  boolean isRequired() {
    return credentials != null;
  }

  /**
   * Authenticates a client, and grants it the rights of its token.
   *
   * @throws CommandException if the password or the token is wrong
   */
  void authenticate(Conversation client, byte[] user, byte[] password) {
    Right right = rightOf(new String(user, UTF_8));
    if (right == null) {
      checkPassword(client, user, password);
    } else if (tokens.grants(new String(password, UTF_8), right)) {
      client.session().grant(right);
    } else {
      throw refusal(client);
    }
    client.session().authenticate();
  }

  /** Returns the right for which a user authenticates with a token; null for other users. */
  private static @Nullable Right rightOf(String user) {
    return switch (user) {
      case ADMIN_USER -> Right.ADMIN;
      case REFUND_USER -> Right.REFUND;
      default -> null;
    };
  }

  private void checkPassword(Conversation client, byte[] user, byte[] password) {
    if (credentials == null) {
      // The message of Redis: some clients continue without a password when they receive it.
      throw CommandException.of(
          "AUTH <password> called without any password configured for the default user."
              + " Are you sure your configuration is correct?");
    }
    if (!credentials.matches(user, password)) {
      throw refusal(client);
    }
  }

  private CommandException refusal(Conversation client) {
    if (failures.tryAcquire(client.wire().peer().network()).allowed()) {
      return new CommandException(
          "WRONGPASS", "invalid username-password pair or user is disabled.");
    }
    client.endAfterThis();
    return new CommandException(
        "WRONGPASS", "too many wrong passwords from this network, closing the connection");
  }

  /**
   * Checks that a client has a right: by its token, or because no token is configured and the
   * client is on this machine.
   *
   * @throws CommandException if it does not
   */
  void require(Right right, Conversation client) {
    boolean local = !tokens.isSet(right) && client.wire().peer().isLoopback();
    if (!local && !client.session().has(right)) {
      boolean refund = right == Right.REFUND;
      throw new CommandException(
          "NOPERM",
          tokens.isSet(right)
              ? "needs AUTH "
                  + (refund ? REFUND_USER + " or " : "")
                  + ADMIN_USER
                  + " with its token"
              : "only for clients on the server's machine; or set "
                  + (refund ? OperatorTokens.REFUND_VARIABLE : OperatorTokens.ADMIN_VARIABLE));
    }
  }
}
