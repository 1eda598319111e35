package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Limit;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * The script that a {@link RedisStore} calls, without the store. It is in this package because only
 * measurements need it.
 */
@NullMarked
public final class BareScript {
  private static final KeyNames NAMES = new KeyNames("bare");

  private final LimitScript script;

  /** The script for a key with these limits. */
  public BareScript(List<Limit> limits) {
    script = new LimitScript(limits);
  }

  /** The text to load. */
  public String source() {
    return script.script().source();
  }

  /** What {@code EVALSHA} is to call. */
  public String sha1() {
    return script.script().sha1();
  }

  /** The names of the Redis keys. */
  public String[] keys(String key) {
    return NAMES.of("bench", key, script.limits());
  }

  /** The arguments to spend one permit. */
  public byte[][] arguments() {
    return script.acquire(1);
  }

  /** What the reply means. */
  public Decision decision(byte[] reply) {
    return script.decision(1, reply);
  }
}
