package dev.sash.micrometer;

import dev.sash.Decision.Source;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Store;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.ToDoubleFunction;

/**
 * Meters of stores and of the limiters that use them.
 *
 * <pre>{@code
 * SashMeters meters = new SashMeters(registry);
 * Store store = meters.instrument(redis);
 * meters.watchStore("main", redis::isUp);
 * RateLimiter limiter = store.limiter(policy);
 * }</pre>
 *
 * <table>
 * <caption>The meters</caption>
 * <tr><th>name</th><th>type</th><th>tags</th><th>meaning</th></tr>
 * <tr><td>{@code sash.decisions}</td><td>counter</td><td>policy, outcome, source</td>
 *     <td>requests for permits by outcome, without peeks and charges</td></tr>
 * <tr><td>{@code sash.fallbacks}</td><td>counter</td><td>policy</td>
 *     <td>decisions by a failure rule, including peeks, charges and refunds</td></tr>
 * <tr><td>{@code sash.store.latency}</td><td>timer</td><td>policy</td>
 *     <td>calls that the store answered, without decisions by the deny cache or a failure
 *     rule</td></tr>
 * <tr><td>{@code sash.store.up}</td><td>gauge</td><td>store</td>
 *     <td>1 if the store decides, 0 if failure rules do</td></tr>
 * <tr><td>{@code sash.memory.keys}</td><td>gauge</td><td>policy</td>
 *     <td>keys in in-memory stores</td></tr>
 * <tr><td>{@code sash.memory.bytes}</td><td>gauge</td><td></td>
 *     <td>bytes used by in-memory stores, estimated</td></tr>
 * <tr><td>{@code sash.memory.max.bytes}</td><td>gauge</td><td></td>
 *     <td>the bound of {@code sash.memory.bytes}</td></tr>
 * </table>
 *
 * <p>{@code outcome} is {@code allowed} or {@code denied}, {@code source} a {@link
 * dev.sash.Decision.Source} in lower case. A key never becomes a tag.
 *
 * <p>Create one for each registry. Values for the same policy name in several stores are added.
 * Thread-safe.
 */
public final class SashMeters {
  private final MeterRegistry registry;
  private final ObservationRegistry observations;
  private final Map<String, BooleanSupplier> stores = new ConcurrentHashMap<>();

  /** Weak, so that meters do not keep a store alive. */
  private final Set<InMemoryStore> inMemory =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  /**
   * Creates meters without observations.
   *
   * @param registry receives the meters
   */
  public SashMeters(MeterRegistry registry) {
    this(registry, ObservationRegistry.NOOP);
  }

  /**
   * Creates meters, and an observation of every call of an {@linkplain #instrument instrumented}
   * store, so that traces show it: {@code sash.acquire}, {@code sash.peek}, {@code sash.charge},
   * {@code sash.refund}, {@code sash.inspect} and {@code sash.reset}. Low-cardinality keys are the
   * policy and, except for resets, the outcome and source.
   *
   * @param registry receives the meters
   * @param observations receives the observations
   */
  public SashMeters(MeterRegistry registry, ObservationRegistry observations) {
    this.registry = Objects.requireNonNull(registry, "registry must not be null");
    this.observations = Objects.requireNonNull(observations, "observations must not be null");
  }

  /**
   * Returns a store with meters, which count the decisions of all limiters created from it. Every
   * attempt of {@link dev.sash.RateLimiter#acquire} is a decision.
   *
   * @param store the store to instrument, before other decorators: the gauges of in-memory stores
   *     need an {@link InMemoryStore} itself
   * @return a store that shares the state of the given one and closes it
   */
  public Store instrument(Store store) {
    Objects.requireNonNull(store, "store must not be null");
    Store metered;
    if (store instanceof InMemoryStore memory) {
      addMemoryGauges(memory);
      metered = new MeteredStore(store, this::inMemoryMeters);
    } else {
      Set<Source> sources = EnumSet.allOf(Source.class);
      metered = new MeteredStore(store, policy -> new PolicyMeters(registry, policy, sources));
    }
    // Not isNoop: that is also true of a registry without handlers, which may be added later.
    return observations == ObservationRegistry.NOOP
        ? metered
        : new ObservedStore(metered, observations);
  }

  /**
   * Registers a gauge of whether a remote store decides.
   *
   * @param name the store's name, for the tag {@code store}; replaces the store watched under that
   *     name before
   * @param isUp called whenever the gauge is read, for example {@code store::isUp}
   */
  public void watchStore(String name, BooleanSupplier isUp) {
    Objects.requireNonNull(name, "name must not be null");
    Objects.requireNonNull(isUp, "isUp must not be null");
    if (stores.put(name, isUp) == null) {
      Gauge.builder("sash.store.up", stores, all -> isUp(all.getOrDefault(name, isUp)))
          .description("1 if the store decides, 0 if failure rules do")
          .tag("store", name)
          .strongReference(true)
          .register(registry);
    }
  }

  private static double isUp(BooleanSupplier store) {
    return store.getAsBoolean() ? 1 : 0;
  }

  /** The registry ignores a gauge that it has already. */
  private void addMemoryGauges(InMemoryStore store) {
    inMemory.add(store);
    memoryGauge("sash.memory.bytes", InMemoryStore::bytes)
        .description("Bytes used by in-memory stores, estimated")
        .baseUnit("bytes")
        .register(registry);
    memoryGauge("sash.memory.max.bytes", InMemoryStore::maxBytes)
        .description("The most bytes that in-memory stores may use")
        .baseUnit("bytes")
        .register(registry);
  }

  private PolicyMeters inMemoryMeters(String policy) {
    memoryGauge("sash.memory.keys", store -> store.keys(policy))
        .description("Keys in in-memory stores")
        .tag("policy", policy)
        .register(registry);
    return new PolicyMeters(registry, policy, EnumSet.of(Source.STORE, Source.OVERFLOW));
  }

  private Gauge.Builder<Set<InMemoryStore>> memoryGauge(
      String name, ToDoubleFunction<InMemoryStore> value) {
    ToDoubleFunction<Set<InMemoryStore>> sum =
        all -> {
          synchronized (all) {
            return all.stream().mapToDouble(value).sum();
          }
        };
    return Gauge.builder(name, inMemory, sum).strongReference(true);
  }
}
