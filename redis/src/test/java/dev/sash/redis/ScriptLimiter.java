package dev.sash.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

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
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  /** A command, and what its reply means; null if that is nothing. */
  private static final class Call {
    final byte[][] command;
    final @Nullable Function<byte[], Decision> meaning;

    Call(byte[][] command, @Nullable Function<byte[], Decision> meaning) {
      this.command = command;
      this.meaning = meaning;
    }

    @Nullable Decision decision(@Nullable Object reply) {
      return meaning == null ? null : meaning.apply((byte[]) Objects.requireNonNull(reply));
    }
  }

  private final LocalRedis redis = LocalRedis.get();
  private final KeyNames names;
  private final Map<List<Limit>, LimitScript> scripts = new ConcurrentHashMap<>();
  private final MicroClock clock;
  private final String settings;

  /** The limiter that this is a view of, or itself. */
  private final ScriptLimiter whole;

  private final @Nullable List<Limit> given;
  private volatile Policy policy;

  ScriptLimiter(Policy policy, MicroClock clock) {
    this(policy, clock, "by_hand.lua");
  }

  ScriptLimiter(Policy policy, MicroClock clock, String settings) {
    this.policy = checked(policy);
    this.clock = clock;
    this.settings = settings;
    this.names = new KeyNames("test" + LIMITERS.incrementAndGet());
    this.whole = this;
    this.given = null;
  }

  private ScriptLimiter(ScriptLimiter whole, List<Limit> given) {
    this.policy = whole.policy;
    this.clock = whole.clock;
    this.settings = whole.settings;
    this.names = whole.names;
    this.whole = whole;
    this.given = given;
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    return Objects.requireNonNull(ask(acquire(key, permits)));
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    return CompletableFuture.completedStage(tryAcquire(key, permits));
  }

  @Override
  public Decision refund(String key, long permits) {
    return Objects.requireNonNull(ask(giveBack(key, permits)));
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
    ask(forget(key));
  }

  @Override
  public Policy policy() {
    return given == null ? policy : whole.policy.limitsForEveryKey(given);
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
    whole.policy = checked(changed);
  }

  @Override
  public MicroClock clock() {
    return clock;
  }

  @Override
  public RateLimiter under(List<Limit> limits) {
    return new ScriptLimiter(this, policy.limitsForEveryKey(limits).limits());
  }

  /** Does the steps of a schedule in one go: none depends on the answer to another. */
  List<@Nullable Decision> decide(ManualClock handClock, List<Step> steps) {
    List<Call> calls = new ArrayList<>();
    for (Step step : steps) {
      handClock.setMicros(step.clockMicros());
      calls.add(call(step.operation()));
    }
    List<@Nullable Object> replies =
        redis.callAll(calls.stream().map(call -> call.command).toList());
    List<@Nullable Decision> decisions = new ArrayList<>();
    for (int i = 0; i < replies.size(); i++) {
      decisions.add(calls.get(i).decision(replies.get(i)));
    }
    return decisions;
  }

  /** What is kept of a key now. */
  List<KeyState> inspect(String key) {
    LimitScript script = scriptFor(key);
    Object reply = redis.call(command(script, key, script.inspect()));
    return script.states((byte[]) Objects.requireNonNull(reply));
  }

  /** The names of the Redis keys of a key. */
  String[] namesOf(String key) {
    return names.of(policy.name(), key, limitsFor(key));
  }

  private @Nullable Decision ask(Call call) {
    return call.decision(redis.call(call.command));
  }

  private Call call(Operation operation) {
    if (operation instanceof Operation.Acquire acquire) {
      return acquire(acquire.key(), acquire.permits());
    } else if (operation instanceof Operation.AcquireAsync acquire) {
      return acquire(acquire.key(), acquire.permits());
    } else if (operation instanceof Operation.Refund refund) {
      return giveBack(refund.key(), refund.permits());
    } else if (operation instanceof Operation.Reset reset) {
      return forget(reset.key());
    }
    changePolicy(((Operation.Change) operation).policy());
    return new Call(LocalRedis.words("PING"), null);
  }

  private Call acquire(String key, long permits) {
    Bounds.checkKey(key);
    Bounds.checkPermits(permits);
    LimitScript script = scriptFor(key);
    return new Call(
        command(script, key, script.acquire(permits)), reply -> script.decision(permits, reply));
  }

  private Call giveBack(String key, long permits) {
    Bounds.checkKey(key);
    Bounds.checkPermits(permits);
    LimitScript script = scriptFor(key);
    return new Call(
        command(script, key, script.refund(permits)), reply -> script.decision(0, reply));
  }

  private Call forget(String key) {
    Bounds.checkKey(key);
    List<String> words = new ArrayList<>(List.of("UNLINK"));
    words.addAll(List.of(namesOf(key)));
    return new Call(LocalRedis.words(words.toArray(String[]::new)), null);
  }

  private List<Limit> limitsFor(String key) {
    return given == null ? policy.limitsFor(key) : given;
  }

  private LimitScript scriptFor(String key) {
    return scripts.computeIfAbsent(
        limitsFor(key), limits -> new LimitScript(limits, Script.of(limits, settings)));
  }

  private byte[][] command(LimitScript script, String key, byte[][] arguments) {
    byte[][] withTime = Arrays.copyOf(arguments, arguments.length + 1);
    withTime[arguments.length] = Long.toString(Math.min(LATEST, clock.micros())).getBytes(US_ASCII);
    return redis.evalsha(script.script(), namesOf(key), withTime);
  }

  private static Policy checked(Policy policy) {
    if (policy.limits().isEmpty() && !policy.isTiered()) {
      throw new IllegalArgumentException("policy '" + policy.name() + "' must have a limit");
    }
    return policy;
  }
}
