package dev.sash.server.resp.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.config.Configuration;
import dev.sash.memory.InMemoryStore;
import dev.sash.micrometer.SashMeters;
import dev.sash.server.access.Receipts;
import dev.sash.server.engine.Engine;
import dev.sash.server.engine.Refunds;
import dev.sash.server.net.ByteBudget;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.resp.codec.ReplyWriter;
import dev.sash.server.resp.codec.Request;
import dev.sash.server.resp.codec.RespParser;
import dev.sash.store.Store;
import dev.sash.testkit.ManualClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with a server in memory whose clock stands still. Besides the usual commands it
 * knows {@code LATE word}, which replies the word when {@link #decide} says so.
 */
final class TestConversation {
  /** The policies of every conversation. */
  static final String YAML =
      """
      policies:
        api: {limit: 3/1m}
        cl-throttle: {limit: 5/1m token-bucket}
      """;

  final ManualClock clock = new ManualClock();
  final TestWire wire = new TestWire();
  final ByteBudget budget = new ByteBudget(5 << 20);
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<CompletableFuture<String>> undecided = new ArrayList<>();
  private final List<String> words = new ArrayList<>();
  private final Authenticator authenticator;
  private final CommandTable commands;
  private final ConversationBounds bounds;
  private Conversation conversation;

  TestConversation() {
    this(RespOptions.defaults());
  }

  TestConversation(RespOptions options) {
    this(options, YAML + "ad-hoc-limits: true");
  }

  TestConversation(RespOptions options, String yaml) {
    this(options, yaml, true);
  }

  TestConversation(RespOptions options, String yaml, boolean receipts) {
    this.bounds =
        new ConversationBounds(
            new RespParser.Bounds(
                options.maxBulkLength(), options.maxArguments(), options.maxRequestLength()),
            options.requestTimeout(),
            options.idleTimeout(),
            options.maxPending());
    this.authenticator = new Authenticator(options.credentials(), options.tokens());
    Store store = InMemoryStore.builder().clock(clock).build();
    Engine engine =
        new Engine(
            new SashMeters(registry).instrument(store),
            "memory",
            Configuration.parse(yaml, "test"));
    Refunds refunds =
        new Refunds(
            engine, receipts ? new Receipts(new byte[32], store, InstantSource.system()) : null);
    this.commands = CommandTable.of(engine, refunds, authenticator, () -> 1, registry);
    this.commands.add(
        List.of(Command.ofKey("late", List.of("key"), "", (request, client) -> {}, this::late)));
    this.conversation = connected();
  }

  private Conversation connected() {
    Session session = new Session(7, authenticator.isRequired());
    return new Conversation(wire, session, commands, bounds, budget.share());
  }

  /** The client comes again, over the same wire. */
  void reconnect() {
    conversation = connected();
  }

  private PendingReply<String> late(Request request, Conversation client, ReplyWriter reply) {
    CompletableFuture<String> decision = new CompletableFuture<>();
    undecided.add(decision);
    words.add(request.text(1, "word"));
    return new PendingReply<>(decision, TestConversation::write);
  }

  private static void write(String word, ReplyWriter writer) {
    writer.bulk(word);
    if (word.equals("unwritable")) {
      throw new IllegalStateException("secret");
    }
  }

  /** How many LATE were executed. */
  int late() {
    return words.size();
  }

  /** Completes the i-th LATE. */
  void decide(int i) {
    undecided.get(i).complete(words.get(i));
  }

  /** Lets the i-th LATE fail. */
  void fail(int i, Throwable failure) {
    undecided.get(i).completeExceptionally(failure);
  }

  Conversation get() {
    return conversation;
  }

  /** The replies to lines, each an inline command. */
  List<@Nullable Object> ask(String... lines) {
    send(String.join("\r\n", lines) + "\r\n");
    return wire.replies();
  }

  /** The reply to an inline command. */
  @Nullable Object askOne(String line) {
    List<@Nullable Object> replies = ask(line);
    if (replies.size() != 1) {
      throw new AssertionError("one reply was expected, not " + replies);
    }
    return replies.get(0);
  }

  void send(String text) {
    conversation.received(text.getBytes(UTF_8));
  }

  void tick(int seconds) {
    for (int i = 0; i < seconds; i++) {
      conversation.tick();
    }
  }
}
