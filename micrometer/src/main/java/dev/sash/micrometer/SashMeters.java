package dev.sash.micrometer;

import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryLimiter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * Meters of limiters and their stores.
 *
 * <pre>{@code
 * SashMeters meters = new SashMeters(registry);
 * RateLimiter limiter = meters.instrument(redis.limiter(policy));
 * meters.watchStore("main", redis::isUp);
 * }</pre>
 *
 * <table>
 * <caption>The meters</caption>
 * <tr><th>name</th><th>type</th><th>tags</th><th>tells</th></tr>
 * <tr><td>{@code sash.decisions}</td><td>counter</td><td>policy, outcome, source</td>
 *     <td>requests for permits, by their answer; a peek is none</td></tr>
 * <tr><td>{@code sash.fallbacks}</td><td>counter</td><td>policy</td>
 *     <td>answers that a failure rule had to give, about peeks and refunds too</td></tr>
 * <tr><td>{@code sash.store.latency}</td><td>timer</td><td>policy</td>
 *     <td>calls that the store answered; neither what the deny cache nor what a failure rule
 *     answered</td></tr>
 * <tr><td>{@code sash.store.up}</td><td>gauge</td><td>store</td>
 *     <td>1 if the store decides, 0 if failure rules do</td></tr>
 * <tr><td>{@code sash.memory.keys}</td><td>gauge</td><td>policy</td>
 *     <td>keys that limiters in memory hold</td></tr>
 * </table>
 *
 * <p>{@code outcome} is {@code allowed} or {@code denied}, {@code source} a {@link
 * dev.sash.Decision.Source} in lower case. No key of a limiter ever becomes a tag.
 *
 * <p>Make one for each registry. Several limiters of one policy name add up. Thread-safe.
 */
public final class SashMeters {
  private final MeterRegistry registry;
  private final ObservationRegistry observations;
  private final Map<String, BooleanSupplier> stores = new ConcurrentHashMap<>();
  private final Map<String, Set<InMemoryLimiter>> inMemory = new ConcurrentHashMap<>();

  /**
   * Meters without observations.
   *
   * @param registry gets the meters
   */
  public SashMeters(MeterRegistry registry) {
    this(registry, ObservationRegistry.NOOP);
  }

  /**
   * Meters, and an observation around every call of an {@linkplain #instrument instrumented}
   * limiter, so that traces show it: {@code sash.acquire}, {@code sash.peek}, {@code sash.refund}
   * and {@code sash.reset}, with the policy, and for answers the outcome and source, as low
   * cardinality keys.
   *
   * @param registry gets the meters
   * @param observations gets the observations
   */
  public SashMeters(MeterRegistry registry, ObservationRegistry observations) {
    this.registry = Objects.requireNonNull(registry, "registry must not be null");
    this.observations = Objects.requireNonNull(observations, "observations must not be null");
  }

  /**
   * The limiter, with meters of what is asked of the one returned. Instrument what a store made,
   * and decorate the result, not the other way round: only so are the keys in memory seen. Every
   * try of {@link RateLimiter#acquire} is a decision.
   *
   * @param limiter decides
   * @return a limiter that shares the state of the one given
   */
  public RateLimiter instrument(RateLimiter limiter) {
    Objects.requireNonNull(limiter, "limiter must not be null");
    if (limiter instanceof InMemoryLimiter memory) {
      countKeysOf(memory);
    }
    RateLimiter metered = new MeteredLimiter(limiter, registry);
    // Not isNoop: that is also said by a registry whose handlers are yet to come.
    return observations == ObservationRegistry.NOOP
        ? metered
        : new ObservedLimiter(metered, observations);
  }

  /**
   * A gauge of whether a remote store decides.
   *
   * @param name the store's name, for the tag {@code store}; whoever had it before is not watched
   *     any more
   * @param isUp asked whenever the gauge is read, such as {@code RedisStore::isUp}
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

  private void countKeysOf(InMemoryLimiter limiter) {
    inMemory.computeIfAbsent(limiter.policy().name(), this::keysGauge).add(limiter);
  }

  /** Limiters that nobody uses any more leave the set by themselves. */
  private Set<InMemoryLimiter> keysGauge(String policy) {
    Set<InMemoryLimiter> limiters =
        Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    Gauge.builder("sash.memory.keys", limiters, SashMeters::keys)
        .description("Keys that limiters in memory hold")
        .tag("policy", policy)
        .strongReference(true)
        .register(registry);
    return limiters;
  }

  private static double keys(Set<InMemoryLimiter> limiters) {
    synchronized (limiters) {
      return limiters.stream().mapToLong(InMemoryLimiter::keys).sum();
    }
  }
}
