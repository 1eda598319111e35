package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.store.Decisions;
import dev.sash.store.Operation;
import java.util.ArrayList;
import java.util.List;

/**
 * Whatever Redis, or something else at its address, replies, led by coverage: every request is
 * completed once, by a decision or a failure of the store, and nothing throws. In the build the
 * test runs on the inputs in {@code BatchFuzzInputs}; CONTRIBUTING.md tells how to look for more.
 */
class BatchFuzz {
  private static final List<LimitSet> SETS =
      List.of(
          setOf("5/1m"),
          setOf("100/1h sliding-counter"),
          setOf("1000000000/366d token-bucket"),
          setOf("5/1s fixed-window", "50/1h sliding-log cells=10", "7/1m token-bucket"));

  private static LimitSet setOf(String... limits) {
    return new LimitSet(List.of(limits).stream().map(Limit::parse).toList());
  }

  /** The requests are taken from the end of the input, the reply from its beginning. */
  @FuzzTest(maxDuration = "1m")
  void replies(FuzzedDataProvider data) {
    Batch batch = new Batch();
    List<Request> requests = new ArrayList<>();
    for (int left = data.consumeInt(1, 8); left > 0 && !batch.isFull(); left--) {
      Operation operation = data.pickValue(Operation.values());
      String key = "key " + data.consumeInt(0, 2);
      LimitSet set = SETS.get(data.consumeInt(0, 3));
      Request request = new Request(operation, "p", key, set, data.consumeInt(0, 9));
      requests.add(request);
      batch.add(request);
    }
    List<Request> completed = new ArrayList<>();
    byte[] reply = data.consumeRemainingAsBytes();
    batch.read(
        reply,
        (request, decision) -> {
          completed.add(request);
          check(decision);
        },
        (request, failure) -> {
          completed.add(request);
          assertThat(failure.getMessage()).hasSizeLessThan(100 + reply.length);
        });
    assertThat(completed).containsExactlyInAnyOrderElementsOf(requests);
  }

  private static void check(Decision decision) {
    assertThat(decision.used()).isBetween(0L, Decisions.MAX_USED);
    assertThat(decision.remaining()).isBetween(0L, decision.limit());
    assertThat(decision.resetAfterMicros()).isNotNegative();
    assertThat(decision.retryAfter().isZero()).isEqualTo(decision.allowed());
    assertThat(decision.retryAfterMicros()).isNotNegative();
  }
}
