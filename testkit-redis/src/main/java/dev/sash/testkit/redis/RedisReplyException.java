package dev.sash.testkit.redis;

/** A server answered a command with an error. The message is the error as the server wrote it. */
public final class RedisReplyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RedisReplyException(String error) {
    super(error);
  }
}
