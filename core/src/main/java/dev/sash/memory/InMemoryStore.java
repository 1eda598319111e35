package dev.sash.memory;

import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.internal.Bounds;
import java.util.Objects;

/**
 * Makes limiters that keep their state in the heap of this process. Immutable.
 *
 * <pre>{@code
 * InMemoryStore store = InMemoryStore.builder().maxKeys(100_000).build();
 * RateLimiter limiter = store.limiter(Policy.of("api", Limit.parse("100/1m")));
 * }</pre>
 *
 * <p>A key costs memory only while something is charged to it: half a minute later at the latest it
 * is gone. That happens as new keys come, and a little every second; no thread is kept for it.
 */
public final class InMemoryStore {
  private final MicroClock clock;
  private final int maxKeys;

  private InMemoryStore(Builder builder) {
    clock = builder.clock;
    maxKeys = builder.maxKeys;
  }

  /**
   * A store with the defaults of {@link Builder}.
   *
   * @return the store
   */
  public static InMemoryStore create() {
    return builder().build();
  }

  /**
   * A store of your own making.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * A limiter with state of its own.
   *
   * @param policy what is allowed
   * @return the limiter
   */
  public InMemoryLimiter limiter(Policy policy) {
    return new InMemoryLimiter(policy, clock, maxKeys);
  }

  /** How a store is to be. Not thread-safe. */
  public static final class Builder {
    private MicroClock clock = MicroClock.system();
    private int maxKeys = 1_000_000;

    private Builder() {}

    /**
     * The clock that decides.
     *
     * @param clock {@link MicroClock#system} unless given
     * @return this
     */
    public Builder clock(MicroClock clock) {
      this.clock = Objects.requireNonNull(clock, "clock must not be null");
      return this;
    }

    /**
     * The most keys that each limiter holds. A live key is never dropped for a new one. At the
     * maximum, keys that are not held share the limit of their policy with each other (more exactly
     * with those in the same segment, of which there is one per 1024 keys and at most 64), and
     * their decisions have the source {@link dev.sash.Decision.Source#OVERFLOW}: whoever invents
     * keys gets no more than a few keys' worth, and touches nobody's state.
     *
     * @param maxKeys 1 to 10⁹, one million unless given
     * @return this
     */
    public Builder maxKeys(int maxKeys) {
      Bounds.check("maxKeys", 1, 1_000_000_000, maxKeys);
      this.maxKeys = maxKeys;
      return this;
    }

    /**
     * The store.
     *
     * @return a new store
     */
    public InMemoryStore build() {
      return new InMemoryStore(this);
    }
  }
}
