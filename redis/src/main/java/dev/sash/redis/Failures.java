package dev.sash.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What a failure of Redis means. */
final class Failures {
  /** Says a script of a value that it did not write. */
  private static final String FOREIGN = "holds something else than the state of its limit";

  private Failures() {}

  /** The failure itself, without the wrappings of futures. */
  static Throwable unwrapped(Throwable failure) {
    Throwable inner = failure;
    while ((inner instanceof CompletionException || inner instanceof ExecutionException)
        && inner.getCause() != null) {
      inner = inner.getCause();
    }
    return inner;
  }

  /**
   * Whether the failure is one key's alone: something else is stored under its name. The server is
   * well and decides about others.
   */
  static boolean isOfOneKey(Throwable failure) {
    String message = messageOf(failure);
    return failure instanceof RedisCommandExecutionException
        && message != null
        && (message.contains("WRONGTYPE") || message.contains(FOREIGN));
  }

  /** A short text for logs; neither keys nor secrets occur in what Redis answers. */
  static String describe(Throwable failure) {
    Throwable inner = unwrapped(failure);
    if (inner instanceof TimeoutException) {
      return "no answer in time";
    }
    String message = messageOf(inner);
    String text = message == null ? inner.getClass().getSimpleName() : message;
    Throwable cause = inner.getCause();
    return cause == null || cause == inner ? text : text + ": " + describe(cause);
  }

  private static @Nullable String messageOf(Throwable failure) {
    return failure.getMessage();
  }
}
