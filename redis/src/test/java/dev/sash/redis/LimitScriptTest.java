package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sash.Limit;
import dev.sash.store.StoreException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Replies that no script of ours sends are failures of the store, not of the caller. */
class LimitScriptTest {
  private final LimitScript one = new LimitScript(List.of(Limit.parse("5/1m")));
  private final LimitScript two =
      new LimitScript(List.of(Limit.parse("5/1m"), Limit.parse("50/1h token-bucket")));

  @Test
  void refusesRepliesOfAnotherLength() {
    for (int length : new int[] {0, 1, 8, 31, 33, 40, 56}) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> one.decision(1, new byte[length]))
          .withMessage("reply must have 32 bytes, had %d", length)
          .matches(e -> e.reason() == StoreException.Reason.UNAVAILABLE);
    }
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> two.decision(1, new byte[32]))
        .withMessage("reply must have 56 bytes, had 32");
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> one.inspected(new byte[32]))
        .withMessage("reply must have 48 bytes, had 32");
  }

  @Test
  void theScriptsAndJavaAgreeOnTheErrorOfForeignState() {
    assertThat(one.script().source())
        .startsWith("local STATE_ERROR = '" + Failures.STATE_CODE + " ")
        .contains("error(STATE_ERROR, 0)");
  }
}
