package dev.sash.server.resp.command;

import dev.sash.server.access.OperatorTokens;
import dev.sash.server.access.RespCredentials;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Refunds;
import dev.sash.server.net.ByteBudget;
import dev.sash.server.resp.codec.Wire;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Starts conversations, which share commands, credentials and meters. Thread-safe. */
public final class Conversations {
  private final Authenticator authenticator;
  private final CommandTable commands;
  private final ConversationBounds bounds;
  private final AtomicLong lastId = new AtomicLong();

  /**
   * Creates the commands.
   *
   * @param engine decides
   * @param refunds issues and redeems receipts
   * @param credentials the user and password of clients; null for none
   * @param tokens the tokens of operators
   * @param bounds what one client may use
   * @param connections returns the number of open connections
   * @param registry receives the counter {@code sash.resp.commands}
   */
  public Conversations(
      Engine engine,
      Refunds refunds,
      @Nullable RespCredentials credentials,
      OperatorTokens tokens,
      ConversationBounds bounds,
      IntSupplier connections,
      MeterRegistry registry) {
    this.authenticator = new Authenticator(credentials, tokens);
    this.commands = CommandTable.of(engine, refunds, authenticator, connections, registry);
    this.bounds = bounds;
  }

  /**
   * Starts a conversation. It must be used on the calling thread.
   *
   * @param wire the connection
   * @param unfinished bounds the bytes of requests and transactions that are not complete
   * @return the conversation
   */
  public Conversation start(Wire wire, ByteBudget.Share unfinished) {
    Session session = new Session(lastId.incrementAndGet(), authenticator.isRequired());
    return new Conversation(wire, session, commands, bounds, unfinished);
  }
}
