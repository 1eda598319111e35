package dev.sash.store;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.store.StoreException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A remote store that does what a test says: answers, fails, or does not respond. */
final class FakeStore implements RemoteStore {
  static final Limit LIMIT = Limit.parse("10/1m");
  static final Policy POLICY = Policy.of("p", LIMIT).withDeadline(Duration.ofSeconds(30));
  static final ResolvedLimits LIMITS = resolved(POLICY);

  final AtomicLong time = new AtomicLong();
  final List<String> calls = Collections.synchronizedList(new ArrayList<>());
  final AtomicInteger probes = new AtomicInteger();
  final AtomicInteger reconnects = new AtomicInteger();
  volatile boolean isClosed;

  /** What a request that is given up says about the server. */
  volatile Reason givenUp = Reason.UNAVAILABLE;

  /** For how long this process was late. */
  final AtomicLong lateNanos = new AtomicLong();

  volatile boolean isAlwaysLate;

  /** What a decision returns. */
  volatile Supplier<CompletionStage<Decision>> answer = () -> now(allowed(1));

  /** What a probe returns. */
  volatile Supplier<CompletionStage<?>> probe = () -> now(true);

  static ResolvedLimits resolved(Policy policy) {
    return new ResolvedLimits(policy, policy.limits());
  }

  static Decision allowed(long used) {
    return Decisions.allowed(LIMIT, used, 10 - used, 60_000_000, Source.STORE);
  }

  static Decision denied(long retryAfterMicros) {
    return Decisions.denied(LIMIT, 9, 1, retryAfterMicros, 60_000_000, Source.STORE);
  }

  static <T> CompletionStage<T> now(T value) {
    return CompletableFuture.completedFuture(value);
  }

  static <T> CompletionStage<T> failure(Reason reason) {
    return CompletableFuture.failedFuture(new StoreException(reason, "on purpose", null));
  }

  void answersWith(Decision decision) {
    answer = () -> now(decision);
  }

  void failsWith(Reason reason) {
    answer = () -> failure(reason);
  }

  /** How many decisions were asked for. */
  int asked() {
    return calls.size();
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    CompletableFuture<Decision> reply =
        decideAsync(operation, limits, key, permits).toCompletableFuture();
    @Nullable Throwable failure = reply.handle((decision, thrown) -> thrown).join();
    if (failure instanceof StoreException known) {
      throw known;
    }
    return reply.join();
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    calls.add(operation + " " + key + " " + permits);
    return answer.get();
  }

  @Override
  public MicroClock clock() {
    return time::get;
  }

  /** A node for each first letter of a key. */
  @Override
  public String serverOf(ResolvedLimits limits, String key) {
    return key.substring(0, 1);
  }

  @Override
  public CompletionStage<?> probe(String node) {
    probes.incrementAndGet();
    return probe.get();
  }

  @Override
  public void reconnect(String node) {
    reconnects.incrementAndGet();
  }

  @Override
  public Reason giveUp(CompletionStage<Decision> request) {
    return givenUp;
  }

  @Override
  public long lateNanos() {
    return isAlwaysLate ? System.nanoTime() : lateNanos.get();
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
