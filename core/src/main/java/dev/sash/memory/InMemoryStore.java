package dev.sash.memory;

import dev.sash.Decision;
import dev.sash.MicroClock;
import dev.sash.internal.Bounds;
import dev.sash.store.KeyHandle;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps state in the heap of this process.
 *
 * <pre>{@code
 * InMemoryStore store = InMemoryStore.builder().maxKeys(100_000).build();
 * RateLimiter limiter = store.limiter(Policy.of("api", Limit.parse("100/1m")));
 * }</pre>
 *
 * <p>A key takes memory only while something is charged to it: at most half a minute later it is
 * gone. That happens as new keys arrive, and a little every second; no thread is kept for it.
 *
 * <p><b>At capacity</b>, which is a number of {@linkplain Builder#maxKeys keys} and of {@linkplain
 * Builder#maxBytes bytes}, a live key is never dropped for a new one. Keys without room share the
 * limit of their policy with each other (more exactly with those in the same segment, of which
 * there is one per 1024 keys and at most 64), and their decisions have the source {@link
 * Decision.Source#OVERFLOW}: a caller who invents keys gets no more than a few keys' worth, and
 * changes nobody's state. As soon as there is room, new keys get an entry of their own; for one
 * window after the last overflow, they are charged for what was shared, since they may have spent
 * it.
 *
 * <p>Thread-safe.
 */
public final class InMemoryStore implements Store {
  private final MicroClock clock;
  private final int maxKeys;
  private final MemoryBudget memory;
  private final Map<String, KeyTable> tables = new ConcurrentHashMap<>();

  /** The table of the latest request: mostly the one of the next request too. */
  private @Nullable KeyTable latest;

  private InMemoryStore(Builder builder) {
    clock = builder.clock;
    maxKeys = builder.maxKeys;
    memory = new MemoryBudget(builder.maxBytes);
  }

  /**
   * Returns a store with the defaults of {@link Builder}.
   *
   * @return the store
   */
  public static InMemoryStore create() {
    return builder().build();
  }

  /**
   * Returns a builder.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    return table(limits.policy().name()).decide(operation, limits, key, permits);
  }

  @Override
  public KeyHandle handle(String policy, String key) {
    return table(policy).handle(key);
  }

  @Override
  public MicroClock clock() {
    return clock;
  }

  /**
   * Returns the number of keys held for all policies.
   *
   * @return keys with something charged, and those not cleaned up yet
   */
  public long keys() {
    return tables.values().stream().mapToLong(KeyTable::size).sum();
  }

  /**
   * Returns the number of keys held for a policy.
   *
   * @param policy the policy's name
   * @return keys with something charged, and those not cleaned up yet
   */
  public long keys(String policy) {
    KeyTable table = tables.get(policy);
    return table == null ? 0 : table.size();
  }

  /**
   * Returns the bytes taken by all keys and their state, as far as the store can estimate them.
   *
   * @return 0 or more
   */
  public long bytes() {
    return memory.used();
  }

  /**
   * Returns the bound of {@link #bytes}.
   *
   * @return as given to {@link Builder#maxBytes}
   */
  public long maxBytes() {
    return memory.maxBytes();
  }

  /**
   * Saves what is charged to all keys, so that {@link #restore} continues with it, in this or
   * another process. Decisions go on meanwhile: those made while the file is written may be missing
   * in it. What keys without room have spent together is not saved.
   *
   * @param file is replaced when the new content is complete and on the disk
   * @throws IOException if the file cannot be written; the former one stays
   */
  public void save(Path file) throws IOException {
    new StateFile(file)
        .write(
            out -> {
              for (KeyTable table : tables.values()) {
                table.save(out);
              }
              out.writeUTF(""); // no policy has this name
            });
  }

  /**
   * Restores what was saved. Keys that are held already stay as they are. The clock must count from
   * the same origin as that of the store that saved, as {@link MicroClock#system} does: so the time
   * that passed in between counts.
   *
   * @param file a file of {@link #save}
   * @return the number of keys that were restored
   * @throws IOException if the file is damaged, not complete, of another version or not a file of
   *     {@link #save}; the message says what. Nothing is restored then
   */
  public long restore(Path file) throws IOException {
    AtomicLong restored = new AtomicLong();
    new StateFile(file)
        .read(
            in -> {
              for (String policy = in.readUTF(); !policy.isEmpty(); policy = in.readUTF()) {
                String key = in.readUTF();
                LimitState[] states = new LimitState[in.readByte()];
                for (int i = 0; i < states.length; i++) {
                  states[i] = LimitState.load(in);
                }
                if (table(policy).restore(key, states)) {
                  restored.incrementAndGet();
                }
              }
            });
    return restored.get();
  }

  /** Drops the idle keys of all policies at once. */
  void sweepAll() {
    tables.values().forEach(KeyTable::sweepAll);
  }

  /** Returns the table of a policy, for tests that look inside. */
  @SuppressWarnings("ReferenceEquality") // another object with equal characters is looked up
  KeyTable table(String policy) {
    KeyTable table = latest;
    if (table == null || table.policy() != policy) {
      table = tables.get(policy);
      if (table == null) {
        table = tables.computeIfAbsent(policy, name -> new KeyTable(name, clock, maxKeys, memory));
      }
      latest = table;
    }
    return table;
  }

  /** Builder for {@link InMemoryStore}. Not thread-safe. */
  public static final class Builder {
    private MicroClock clock = MicroClock.system();
    private int maxKeys = 1_000_000;
    private long maxBytes = Runtime.getRuntime().maxMemory() / 4;

    private Builder() {}

    /**
     * Sets the clock that dates decisions.
     *
     * @param clock {@link MicroClock#system} by default
     * @return this
     */
    public Builder clock(MicroClock clock) {
      this.clock = Objects.requireNonNull(clock, "clock must not be null");
      return this;
    }

    /**
     * Sets the most keys to hold for each policy.
     *
     * @param maxKeys 1 to 10⁹, one million by default
     * @return this
     */
    public Builder maxKeys(int maxKeys) {
      Bounds.check("maxKeys", 1, 1_000_000_000, maxKeys);
      this.maxKeys = maxKeys;
      return this;
    }

    /**
     * Sets the most bytes to take for all policies together. Sizes are estimates; a few kilobytes
     * for each policy are not counted.
     *
     * @param maxBytes 1 or more; a quarter of the maximum heap by default
     * @return this
     */
    public Builder maxBytes(long maxBytes) {
      Bounds.check("maxBytes", 1, Long.MAX_VALUE, maxBytes);
      this.maxBytes = maxBytes;
      return this;
    }

    /**
     * Returns the store.
     *
     * @return a new store
     */
    public InMemoryStore build() {
      return new InMemoryStore(this);
    }
  }
}
