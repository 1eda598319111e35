package dev.sash.server.resp.command;

import dev.sash.server.resp.codec.ReplyWriter;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A reply that is written when its result is known, which may be at once.
 *
 * @param <T> the type of the result
 */
final class PendingReply<T> implements Slot {
  private final CompletionStage<T> stage;
  private final BiConsumer<T, ReplyWriter> format;
  private @Nullable T answer;
  private @Nullable Throwable failure;
  private CommandTable.@Nullable Entry entry;
  private volatile boolean done;

  /**
   * A reply.
   *
   * @param stage completes with the result
   * @param format writes the result
   */
  PendingReply(CompletionStage<T> stage, BiConsumer<T, ReplyWriter> format) {
    this.stage = stage;
    this.format = format;
  }

  /** Waits for it; {@code decided} may be called before this returns, or on another thread. */
  void await(CommandTable.Entry asked, Runnable decided) {
    entry = asked;
    var unused =
        stage.whenComplete(
            (result, thrown) -> {
              answer = result;
              failure = thrown;
              done = true;
              decided.run();
            });
  }

  @Override
  public boolean isDone() {
    return done;
  }

  @Override
  public void writeTo(ReplyWriter reply) {
    CommandTable.Entry asked = Objects.requireNonNull(entry);
    Throwable thrown = failure;
    int before = reply.length();
    if (thrown == null) {
      try {
        format.accept(Objects.requireNonNull(answer), reply);
        asked.countAnswer();
        return;
      } catch (RuntimeException e) {
        reply.cutTo(before); // some reply there must be, for those behind it
        thrown = e;
      }
    }
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    asked.refuse(Objects.requireNonNullElse(cause, thrown), reply);
  }
}
