package dev.sash.server.resp;

import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A reply that comes as soon as something is decided; that may be at once.
 *
 * @param <T> what the reply tells
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
   * @param stage completes with what it tells
   * @param format writes that
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
