package dev.sash.redis;

import dev.sash.Algorithm;
import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.internal.Bounds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The scripts as a limiter and nothing else, on a clock that is given as an argument: all but the
 * file that tells the time is what ships. Each limiter has keys of its own.
 */
final class ScriptLimiter implements RateLimiter {
  /** The scripts count in doubles: times must stay below 2⁵³. */
  static final long LATEST = 1L << 52;

  private static final AtomicInteger LIMITERS = new AtomicInteger();
  private static final Map<Set<Algorithm>, Script> SCRIPTS = new ConcurrentHashMap<>();

  private final LocalRedis redis = LocalRedis.get();
  private final KeyNames names = new KeyNames("test" + LIMITERS.incrementAndGet());
  private final Map<List<Limit>, LimitScript> scripts = new ConcurrentHashMap<>();
  private final MicroClock clock;
  private volatile Policy policy;

  ScriptLimiter(Policy policy, MicroClock clock) {
    this.policy = checked(policy);
    this.clock = clock;
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    return ask(key, permits, script -> script.acquire(permits));
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    return CompletableFuture.completedStage(tryAcquire(key, permits));
  }

  @Override
  public Decision refund(String key, long permits) {
    return ask(key, permits, script -> script.refund(permits));
  }

  @Override
  public void reset(String key) {
    Bounds.checkKey(key);
    List<String> words = new ArrayList<>(List.of("UNLINK"));
    words.addAll(List.of(names.of(policy.name(), key, policy.limitsFor(key))));
    redis.call(words.toArray(String[]::new));
  }

  @Override
  public Policy policy() {
    return policy;
  }

  @Override
  public void changePolicy(Policy changed) {
    if (!changed.name().equals(policy.name())) {
      throw new IllegalArgumentException(
          "policy must have the name '"
              + policy.name()
              + "' to change it, was '"
              + changed.name()
              + "'");
    }
    policy = checked(changed);
  }

  @Override
  public MicroClock clock() {
    return clock;
  }

  private static Policy checked(Policy policy) {
    if (policy.limits().isEmpty() && !policy.isTiered()) {
      throw new IllegalArgumentException("policy '" + policy.name() + "' must have a limit");
    }
    return policy;
  }

  private interface Arguments {
    String[] of(LimitScript script);
  }

  private Decision ask(String key, long permits, Arguments arguments) {
    Bounds.checkKey(key);
    Bounds.checkPermits(permits);
    List<Limit> limits = policy.limitsFor(key);
    LimitScript script = scripts.computeIfAbsent(limits, ScriptLimiter::scriptOf);
    String[] keys = names.of(policy.name(), key, limits);
    return script.decision(redis.run(script.script(), keys, withTime(arguments.of(script))));
  }

  private String[] withTime(String[] arguments) {
    String[] more = Arrays.copyOf(arguments, arguments.length + 1);
    more[arguments.length] = Long.toString(Math.min(LATEST, clock.micros()));
    return more;
  }

  private static LimitScript scriptOf(List<Limit> limits) {
    Script script =
        SCRIPTS.computeIfAbsent(
            Script.algorithms(limits),
            algorithms -> Script.assemble("clock_by_hand.lua", algorithms));
    return new LimitScript(limits, script);
  }
}
