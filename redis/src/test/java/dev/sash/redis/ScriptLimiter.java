package dev.sash.redis;

import dev.sash.Algorithm;
import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.internal.Bounds;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.Operation;
import dev.sash.testkit.Schedule.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The scripts as a limiter and nothing else, on a clock that is given as an argument: all but the
 * file that tells the time is what ships. Each limiter has keys of its own.
 */
final class ScriptLimiter implements RateLimiter {
  /** The scripts count in doubles: times must stay below 2⁵³. */
  static final long LATEST = 1L << 52;

  private static final AtomicInteger LIMITERS = new AtomicInteger();
  private static final Map<Set<Algorithm>, Script> SCRIPTS = load();

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
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    return CompletableFuture.completedStage(refund(key, permits));
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    reset(key);
    return CompletableFuture.completedStage(null);
  }

  @Override
  public void reset(String key) {
    Bounds.checkKey(key);
    redis.call(unlink(key));
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

  /** Does the steps of a schedule in one go: none depends on the answer to another. */
  List<@Nullable Decision> decide(ManualClock handClock, List<Step> steps) {
    List<String[]> commands = new ArrayList<>();
    List<@Nullable LimitScript> asked = new ArrayList<>();
    for (Step step : steps) {
      handClock.setMicros(step.clockMicros());
      Operation operation = step.operation();
      if (operation instanceof Operation.Change change) {
        changePolicy(change.policy());
        commands.add(new String[] {"PING"});
        asked.add(null);
      } else if (operation instanceof Operation.Reset reset) {
        commands.add(unlink(reset.key()));
        asked.add(null);
      } else {
        asked.add(scriptFor(keyOf(operation)));
        commands.add(command(operation));
      }
    }
    List<@Nullable Object> replies = redis.callAll(commands);
    List<@Nullable Decision> decisions = new ArrayList<>();
    for (int i = 0; i < replies.size(); i++) {
      LimitScript script = asked.get(i);
      decisions.add(script == null ? null : script.decision((List<?>) replies.get(i)));
    }
    return decisions;
  }

  private String[] command(Operation operation) {
    if (operation instanceof Operation.Refund refund) {
      return command(refund.key(), script -> script.refund(refund.permits()));
    } else if (operation instanceof Operation.AcquireAsync acquire) {
      return command(acquire.key(), script -> script.acquire(acquire.permits()));
    } else {
      Operation.Acquire acquire = (Operation.Acquire) operation;
      return command(acquire.key(), script -> script.acquire(acquire.permits()));
    }
  }

  private static String keyOf(Operation operation) {
    if (operation instanceof Operation.Refund refund) {
      return refund.key();
    } else if (operation instanceof Operation.AcquireAsync acquire) {
      return acquire.key();
    } else {
      return ((Operation.Acquire) operation).key();
    }
  }

  private Decision ask(String key, long permits, Function<LimitScript, String[]> arguments) {
    Bounds.checkKey(key);
    Bounds.checkPermits(permits);
    List<?> reply = (List<?>) Objects.requireNonNull(redis.call(command(key, arguments)));
    return scriptFor(key).decision(reply);
  }

  private LimitScript scriptFor(String key) {
    return scripts.computeIfAbsent(
        policy.limitsFor(key),
        limits -> new LimitScript(limits, SCRIPTS.get(Script.algorithms(limits))));
  }

  private String[] command(String key, Function<LimitScript, String[]> arguments) {
    LimitScript script = scriptFor(key);
    String[] withoutTime = arguments.apply(script);
    String[] withTime = Arrays.copyOf(withoutTime, withoutTime.length + 1);
    withTime[withoutTime.length] = Long.toString(Math.min(LATEST, clock.micros()));
    return LocalRedis.evalsha(
        script.script(), names.of(policy.name(), key, script.limits()), withTime);
  }

  private String[] unlink(String key) {
    List<String> words = new ArrayList<>(List.of("UNLINK"));
    words.addAll(List.of(names.of(policy.name(), key, policy.limitsFor(key))));
    return words.toArray(String[]::new);
  }

  /** The script for every set of algorithms, loaded. */
  private static Map<Set<Algorithm>, Script> load() {
    Set<Set<Algorithm>> sets = new HashSet<>(Set.of(Set.of()));
    for (Algorithm algorithm : Algorithm.values()) {
      for (Set<Algorithm> set : List.copyOf(sets)) {
        Set<Algorithm> more = new HashSet<>(set);
        more.add(algorithm);
        sets.add(more);
      }
    }
    Map<Set<Algorithm>, Script> scripts = new HashMap<>();
    for (Set<Algorithm> algorithms : sets) {
      Script script = Script.assemble("clock_by_hand.lua", algorithms);
      LocalRedis.get().call("SCRIPT", "LOAD", script.source());
      scripts.put(algorithms, script);
    }
    return scripts;
  }
}
