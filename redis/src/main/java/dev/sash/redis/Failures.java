package dev.sash.redis;

import dev.sash.store.StoreException;
import dev.sash.store.StoreException.Reason;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What a failure of Redis means. */
final class Failures {
  /** The code with which scripts fail on a value that Sash did not write. */
  static final String STATE_CODE = "SASHSTATE";

  private Failures() {}

  /** Returns the failure itself, without the wrappers of futures. */
  static Throwable unwrapped(Throwable failure) {
    Throwable inner = failure;
    while ((inner instanceof CompletionException || inner instanceof ExecutionException)
        && inner.getCause() != null) {
      inner = inner.getCause();
    }
    return inner;
  }

  /** Returns what to throw for a failure. */
  static StoreException of(Throwable thrown) {
    Throwable failure = unwrapped(thrown);
    if (failure instanceof StoreException known) {
      return known;
    }
    return new StoreException(reason(failure), describe(failure), failure);
  }

  /** Returns what to throw for an error that the script reports about one key. */
  static StoreException ofReply(String message) {
    return new StoreException(
        isForeignState(message) ? Reason.FOREIGN_STATE : Reason.UNAVAILABLE, message, null);
  }

  private static boolean isForeignState(String message) {
    return message.contains(STATE_CODE) || message.contains("WRONGTYPE");
  }

  private static Reason reason(Throwable failure) {
    String message = messageOf(failure);
    if (message == null) {
      return Reason.UNAVAILABLE;
    }
    if (failure instanceof RedisCommandExecutionException && isForeignState(message)) {
      return Reason.FOREIGN_STATE;
    }
    return failure instanceof RedisException && message.contains("queue size exceeded")
        ? Reason.OVERLOADED
        : Reason.UNAVAILABLE;
  }

  /** Returns whether a cluster is moving the keys of a call: it did nothing. */
  static boolean isTryAgain(Throwable failure) {
    return isError(failure, "TRYAGAIN");
  }

  /** Returns whether a server does not hold the keys of a call, or the script: it did nothing. */
  static boolean isNotForThisServer(Throwable failure) {
    return isError(failure, "MOVED ") || isError(failure, "ASK ") || isError(failure, "NOSCRIPT");
  }

  private static boolean isError(Throwable failure, String beginning) {
    Throwable inner = unwrapped(failure);
    String message = messageOf(inner);
    return inner instanceof RedisCommandExecutionException
        && message != null
        && message.startsWith(beginning);
  }

  /** Returns a short text for logs; neither keys nor secrets occur in what Redis answers. */
  static String describe(Throwable failure) {
    Throwable inner = unwrapped(failure);
    if (inner instanceof TimeoutException) {
      return "no response in time";
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
