package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.store.Operation;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * The script that a {@link RedisStore} calls, without the store. It is in this package because only
 * measurements need it.
 */
@NullMarked
public final class BareScript {
  private static final KeyNames NAMES = new KeyNames("bare");

  private final LimitSet limits;

  /** The script for a key with these limits. */
  public BareScript(List<Limit> limits) {
    this.limits = new LimitSet(limits);
  }

  /** The text to load. */
  public String source() {
    return Script.DECIDE.source();
  }

  /** What {@code EVALSHA} is to call. */
  public String sha1() {
    return Script.DECIDE.sha1();
  }

  /** The names of the Redis keys. */
  public String[] keys(String key) {
    return NAMES.of("bench", key, limits.limits());
  }

  /** The argument to spend one permit. */
  public byte[] argument() {
    return Batch.of(request()).program();
  }

  /** What the reply means. */
  public Decision decision(byte[] reply) {
    Request request = request();
    Batch.of(request).read(reply, Request::complete, Request::completeExceptionally);
    return request.join();
  }

  private Request request() {
    return new Request(Operation.ACQUIRE, "bench", "any", limits, 1);
  }
}
