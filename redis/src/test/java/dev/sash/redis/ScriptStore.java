package dev.sash.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.Schedule.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The scripts as a store and nothing else, on a clock that is given as an argument: all but the
 * file that reads the time is what ships. Each store has keys of its own.
 */
final class ScriptStore implements Store {
  /** The scripts count in doubles: times must stay below 2⁵³. */
  static final long LATEST = 1L << 52;

  private static final AtomicInteger STORES = new AtomicInteger();
  private static final Map<String, Script> SCRIPTS = new ConcurrentHashMap<>();

  private final LocalRedis redis = LocalRedis.get();
  private final KeyNames names = new KeyNames("test" + STORES.incrementAndGet());
  private final Map<List<Limit>, LimitSet> sets = new ConcurrentHashMap<>();
  private final MicroClock clock;
  private final Script script;

  ScriptStore(MicroClock clock) {
    this(clock, "by_hand");
  }

  ScriptStore(MicroClock clock, String settings) {
    this.clock = clock;
    this.script = SCRIPTS.computeIfAbsent(settings, Script::withSettings);
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    Request request = request(operation, limits, key, permits);
    Batch batch = Batch.of(request);
    finish(batch, redis.call(command(batch)));
    return request.join();
  }

  @Override
  public MicroClock clock() {
    return clock;
  }

  /** Performs the steps of a schedule in one go, each in a call of its own. */
  List<Decision> decide(ManualClock handClock, List<Step> steps) {
    return decide(handClock, steps, 1);
  }

  /** Performs the steps of a schedule in one go: those at one time in few calls. */
  List<Decision> decide(ManualClock handClock, List<Step> steps, int most) {
    List<Request> requests = new ArrayList<>();
    List<Batch> batches = new ArrayList<>();
    List<byte[][]> commands = new ArrayList<>();
    for (int i = 0; i < steps.size(); ) {
      Batch batch = new Batch();
      long time = steps.get(i).clockMicros();
      handClock.setMicros(time);
      for (int n = 0;
          n < most && i < steps.size() && steps.get(i).clockMicros() == time && !batch.isFull();
          n++, i++) {
        Step step = steps.get(i);
        Request request = request(step.operation(), step.limits(), step.key(), step.permits());
        requests.add(request);
        batch.add(request);
      }
      batches.add(batch);
      commands.add(command(batch));
    }
    List<@Nullable Object> replies = redis.callAll(commands);
    for (int i = 0; i < replies.size(); i++) {
      finish(batches.get(i), replies.get(i));
    }
    return requests.stream().map(Request::join).toList();
  }

  /** Returns the names of the Redis keys of a key. */
  String[] namesOf(Policy policy, String key) {
    return names.of(policy.name(), key, policy.limitsFor(key));
  }

  private Request request(Operation operation, ResolvedLimits limits, String key, long permits) {
    LimitSet set = sets.computeIfAbsent(limits.limits(), LimitSet::new);
    return new Request(operation, limits.policy().name(), key, set, permits);
  }

  private static void finish(Batch batch, @Nullable Object reply) {
    batch.read(
        (byte[]) Objects.requireNonNull(reply), Request::complete, Request::completeExceptionally);
  }

  private byte[][] command(Batch batch) {
    String time = Long.toString(Math.min(LATEST, clock.micros()));
    byte[][] arguments = {batch.program(), time.getBytes(US_ASCII)};
    return redis.evalsha(script, batch.keys(names), arguments);
  }
}
