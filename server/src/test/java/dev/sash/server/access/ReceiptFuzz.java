package dev.sash.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sash.Limit;
import dev.sash.memory.InMemoryStore;
import java.time.InstantSource;
import java.util.List;

/** Whatever is sent as a receipt, it is refused, and with a message of ours. */
class ReceiptFuzz {
  private static final Receipts RECEIPTS =
      new Receipts(new byte[] {1, 2, 3}, InMemoryStore.builder().build(), InstantSource.system());

  @FuzzTest(maxDuration = "1m")
  void receipts(FuzzedDataProvider data) {
    try {
      RECEIPTS.verify(data.consumeRemainingAsString(), "api", List.of(Limit.parse("5/1m")), "ann");
      fail("was signed by nobody");
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageStartingWith("receipt must ");
    }
  }
}
