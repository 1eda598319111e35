package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.store.Operation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A decision that charges nobody: of keys of its own, by a script with every command that scripts
 * use, which writes. It fails where a decision would: on a server that is read-only, full, loading,
 * or does not permit scripts.
 */
final class Probe {
  private static final String POLICY = "_probe";
  private static final LimitSet LIMITS =
      new LimitSet(
          List.of(
              Limit.slidingLog(1_000_000_000, Duration.ofSeconds(1)),
              Limit.fixedWindow(1_000_000_000, Duration.ofSeconds(1))));

  private final KeyNames names;

  Probe(KeyNames names) {
    this.names = names;
  }

  /** Returns what the names of the keys of one of many probes begin with: they lie in one slot. */
  String tagged(int number) {
    return names.tagged(POLICY, Integer.toString(number));
  }

  /** Decides about the key of one of many probes. */
  CompletionStage<Decision> run(int number, Call call) {
    Request request = new Request(Operation.ACQUIRE, POLICY, Integer.toString(number), LIMITS, 1);
    Batch batch = Batch.of(request);
    return call.run(batch.keys(names), batch.program())
        .thenCompose(
            reply -> {
              batch.read(reply, Request::complete, Request::completeExceptionally);
              return request;
            });
  }

  /** A call of the script. */
  interface Call {
    CompletionStage<byte[]> run(String[] keys, byte[] program);
  }
}
