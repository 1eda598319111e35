package dev.sash.redis;

/**
 * Redis did not do what was asked of it, and no failure rule can stand in for it: {@code reset},
 * {@code inspect} and listing keys. Decisions do not throw it.
 */
public final class RedisStoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RedisStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
