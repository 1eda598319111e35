package dev.sash.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.config.Configuration;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.engine.CheckResult;
import dev.sash.server.engine.Engine;
import dev.sash.server.http.exchange.JsonBytes;
import dev.sash.store.Decisions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResultWriterTest {
  private final CheckResult any =
      new Engine(
              InMemoryStore.create(),
              "memory",
              Configuration.parse("policies: {api: {limit: 3/1m}}", "sash.yaml"))
          .check(CheckRequest.of("api", "ann", null))
          .toCompletableFuture()
          .join();

  private String written(Decision decision) {
    JsonBytes json = new JsonBytes();
    ResultWriter.write(
        json,
        new CheckResult(
            decision.allowed(), any.reason(), "api", any.limits(), "ann", 1, decision, null));
    return json.toBuffer().toString();
  }

  /** A client that waits as long as the response says must not come too early. */
  @ParameterizedTest
  @CsvSource({
    "1, 1, 1",
    "999, 1, 1",
    "1000, 1, 1",
    "1001, 2, 1",
    "999000, 999, 1",
    "999001, 1000, 1",
    "1000000, 1000, 1",
    "1000001, 1001, 2",
    "59999999, 60000, 60",
    "60000000, 60000, 60",
  })
  void timesAreRoundedUp(long micros, long millis, long seconds) {
    assertThat(
            written(Decisions.denied(any.limits().get(0), 3, 0, micros, 60_000_000, Source.STORE)))
        .contains(",\"retryAfterMs\":" + millis + ",\"resetAfterMs\":60000,\"ttl\":60,");
    assertThat(written(Decisions.allowed(any.limits().get(0), 1, 2, micros, Source.STORE)))
        .contains(",\"retryAfterMs\":0,\"resetAfterMs\":" + millis + ",\"ttl\":" + seconds + ",");
  }

  @Test
  void aRequestThatNeverFitsHasNoTimeToWait() {
    assertThat(written(Decisions.neverAllowed(any.limits().get(0), 0, 3, 0, Source.STORE)))
        .contains(",\"retryAfterMs\":null,\"resetAfterMs\":0,\"ttl\":0,");
  }
}
