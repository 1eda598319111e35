package dev.sash.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.store.Decisions;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.Schedule.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The scripts as a store and nothing else, on a clock that is given as an argument: all but the
 * file that reads the time is what ships. Each store has keys of its own.
 */
final class ScriptStore implements Store {
  /** The scripts count in doubles: times must stay below 2⁵³. */
  static final long LATEST = 1L << 52;

  private static final AtomicInteger STORES = new AtomicInteger();

  /** A command, and the meaning of its reply. */
  private static final class Call {
    final byte[][] command;
    final Function<@Nullable Object, Decision> meaning;

    Call(byte[][] command, Function<@Nullable Object, Decision> meaning) {
      this.command = command;
      this.meaning = meaning;
    }
  }

  private final LocalRedis redis = LocalRedis.get();
  private final KeyNames names = new KeyNames("test" + STORES.incrementAndGet());
  private final Map<List<Limit>, LimitScript> scripts = new ConcurrentHashMap<>();
  private final MicroClock clock;
  private final String settings;

  ScriptStore(MicroClock clock) {
    this(clock, "by_hand.lua");
  }

  ScriptStore(MicroClock clock, String settings) {
    this.clock = clock;
    this.settings = settings;
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    Call call = call(operation, limits, key, permits);
    return call.meaning.apply(redis.call(call.command));
  }

  @Override
  public MicroClock clock() {
    return clock;
  }

  /** Performs the steps of a schedule in one go: none depends on the reply to another. */
  List<Decision> decide(ManualClock handClock, List<Step> steps) {
    List<Call> calls = new ArrayList<>();
    for (Step step : steps) {
      handClock.setMicros(step.clockMicros());
      calls.add(call(step.operation(), step.limits(), step.key(), step.permits()));
    }
    List<@Nullable Object> replies =
        redis.callAll(calls.stream().map(call -> call.command).toList());
    List<Decision> decisions = new ArrayList<>();
    for (int i = 0; i < replies.size(); i++) {
      decisions.add(calls.get(i).meaning.apply(replies.get(i)));
    }
    return decisions;
  }

  /** Returns the names of the Redis keys of a key. */
  String[] namesOf(Policy policy, String key) {
    return names.of(policy.name(), key, policy.limitsFor(key));
  }

  private Call call(Operation operation, ResolvedLimits limits, String key, long permits) {
    LimitScript script =
        scripts.computeIfAbsent(
            limits.limits(), list -> new LimitScript(list, Script.of(list, settings)));
    String[] keys = names.of(limits.policy().name(), key, limits.limits());
    return switch (operation) {
      case ACQUIRE ->
          new Call(
              command(script, keys, script.acquire(permits)),
              reply -> script.decision(permits, bytes(reply)));
      case PEEK, REFUND_LOCAL ->
          new Call(
              command(script, keys, script.acquire(0)), reply -> script.decision(0, bytes(reply)));
      case REFUND ->
          new Call(
              command(script, keys, script.refund(permits)),
              reply -> script.decision(0, bytes(reply)));
      case CHARGE ->
          new Call(
              command(script, keys, script.charge(permits)),
              reply -> script.decision(0, bytes(reply)));
      case INSPECT ->
          new Call(
              command(script, keys, script.inspect()), reply -> script.inspected(bytes(reply)));
      case RESET -> {
        List<String> words = new ArrayList<>(List.of("UNLINK"));
        words.addAll(List.of(keys));
        Limit lowest = limits.lowest();
        yield new Call(
            LocalRedis.words(words.toArray(String[]::new)),
            reply -> Decisions.allowed(lowest, 0, lowest.capacity(), 0, Source.STORE));
      }
    };
  }

  private static byte[] bytes(@Nullable Object reply) {
    return (byte[]) Objects.requireNonNull(reply);
  }

  private byte[][] command(LimitScript script, String[] keys, byte[][] arguments) {
    byte[][] withTime = Arrays.copyOf(arguments, arguments.length + 1);
    withTime[arguments.length] = Long.toString(Math.min(LATEST, clock.micros())).getBytes(US_ASCII);
    return redis.evalsha(script.script(), keys, withTime);
  }
}
