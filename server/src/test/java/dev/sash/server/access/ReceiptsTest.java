package dev.sash.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.memory.InMemoryStore;
import dev.sash.server.access.Receipts.Receipt;
import dev.sash.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceiptsTest {
  private static final List<Limit> LIMITS = List.of(Limit.parse("5/1h"));

  private final ManualClock clock = new ManualClock();
  private final InMemoryStore store = InMemoryStore.builder().clock(clock).build();
  private Instant now = Instant.parse("2026-11-18T12:00:00Z");
  private final Receipts receipts = receipts("the same secret");

  private Receipts receipts(String secret) {
    return new Receipts(secret.getBytes(UTF_8), store, () -> now);
  }

  private String issued() {
    Decision decision = store.limiter(Policy.of("api", LIMITS.get(0))).tryAcquire("ann");
    return receipts.issue("api", LIMITS, "ann", 1, decision);
  }

  private boolean use(Receipts server, String text) {
    Receipt receipt = server.verify(text, "api", LIMITS, "ann");
    return server.use(receipt).toCompletableFuture().join();
  }

  private void passes(Duration time) {
    now = now.plus(time);
    clock.advance(time);
  }

  @Test
  void anotherServerWithTheSameSecretAcceptsItOnce() {
    String text = issued();
    assertThat(use(receipts("the same secret"), text)).isTrue();
    assertThat(use(receipts, text)).isFalse();
  }

  @Test
  void anotherSecretAcceptsNothing() {
    String text = issued();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> use(receipts("another secret"), text))
        .withMessage("receipt must be of this policy, key and window, and is not");
  }

  @Test
  void isBoundToTheKindOfTheLimitsButNotToTheirPermits() {
    String text = issued();
    assertThat(receipts.verify(text, "api", List.of(Limit.parse("9/1h")), "ann").permits())
        .isEqualTo(1);
    for (String other : new String[] {"5/2h", "5/1h sliding-counter", "5/1h cells=10"}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> receipts.verify(text, "api", List.of(Limit.parse(other)), "ann"));
    }
  }

  @Test
  void namesCannotBeShiftedAgainstEachOther() {
    Decision decision = store.limiter(Policy.of("api", LIMITS.get(0))).tryAcquire("k");
    String text = receipts.issue("ab", LIMITS, "c", 1, decision);
    assertThatIllegalArgumentException().isThrownBy(() -> receipts.verify(text, "a", LIMITS, "bc"));
  }

  @Test
  void isValidForAsLongAsTheChargeAndRememberedForLonger() {
    String used = issued();
    String unused = issued();
    assertThat(use(receipts, used)).isTrue();
    passes(Duration.ofHours(1));
    assertThat(use(receipts, used)).as("a server whose clock is late").isFalse();
    passes(Duration.ofSeconds(2));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> use(receipts, unused))
        .withMessage("receipt must not be older than the charge, is expired");
  }

  @Test
  void everyReceiptIsDifferent() {
    assertThat(issued()).isNotEqualTo(issued());
  }
}
