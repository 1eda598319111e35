package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import dev.sash.Limit;
import dev.sash.testkit.HistoryChecker.Kind;
import dev.sash.testkit.HistoryChecker.Violation;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HistoryCheckerTest {
  private static final long SEED = Long.getLong("sash.seed", System.nanoTime());
  private static final long W = 1_000;
  private static final Limit ONE = Limit.parse("1/1ms");
  private static final Limit TEN = Limit.parse("10/1ms");

  private final History history = new History();

  @Test
  void nothingIsWrongWithNothing() {
    assertThat(HistoryChecker.check(history, ONE)).isEmpty();
    denied(0, 1, 2); // more than the limit never fits
    assertThat(HistoryChecker.check(history, ONE)).isEmpty();
  }

  @Test
  void aWindowIsHalfOpen() {
    allowed(5, 5, 1);
    allowed(5 + W, 5 + W, 1);
    assertThat(HistoryChecker.check(history, ONE)).isEmpty();

    allowed(4 + 2 * W, 4 + 2 * W, 1);
    assertThat(HistoryChecker.check(history, ONE))
        .containsExactly(new Violation(Kind.OVER_LIMIT, 5 + W, 4 + 2 * W, 2, ONE));
  }

  @Test
  void findsOnePermitTooMany() {
    allowed(0, 0, 4);
    allowed(999, 999, 6);
    assertThat(HistoryChecker.check(history, TEN)).isEmpty();

    allowed(500, 500, 1);
    assertThat(HistoryChecker.check(history, TEN))
        .containsExactly(new Violation(Kind.OVER_LIMIT, 0, 999, 11, TEN));
  }

  @Test
  void findsTheWorstWindowWhereverItIs() {
    for (int i = 0; i < 100; i++) {
      allowed(i * W, i * W, 10);
    }
    allowed(50 * W + 7, 50 * W + 7, 3);
    allowed(70 * W + 7, 70 * W + 7, 2);
    assertThat(HistoryChecker.check(history, TEN))
        .containsExactly(new Violation(Kind.OVER_LIMIT, 49 * W + 8, 50 * W + 7, 13, TEN));
  }

  @Test
  void countsOnlyWhatWasCertainlyInTheWindow() {
    allowed(0, 1, 1);
    allowed(W, W, 1); // the other may have been at 0
    assertThat(HistoryChecker.check(history, ONE)).isEmpty();

    allowed(W - 1, 5 * W, 1); // whenever that was
    assertThat(HistoryChecker.check(history, ONE)).isEmpty();

    allowed(1, 2, 1);
    assertThat(HistoryChecker.check(history, ONE))
        .extracting(Violation::permits)
        .containsExactly(2L);
  }

  @Test
  void anOperationAsLongAsTheWindowProvesNothing() {
    allowed(0, W, 7);
    allowed(100, W, 7);
    assertThat(HistoryChecker.check(history, TEN)).isEmpty();

    allowed(1, W, 4);
    assertThat(HistoryChecker.check(history, TEN))
        .containsExactly(new Violation(Kind.OVER_LIMIT, 1, W, 11, TEN));
  }

  @Test
  void findsADenialThoughNothingWasCharged() {
    denied(10, 12, 1);
    assertThat(HistoryChecker.check(history, ONE))
        .containsExactly(new Violation(Kind.FALSE_DENIAL, 10, 12, 1, ONE));
  }

  @Test
  void aChargeMayDenyForOneWindow() {
    allowed(0, 0, 1);
    denied(0, 0, 1);
    denied(999, 999, 1);
    assertThat(HistoryChecker.check(history, ONE)).isEmpty();

    denied(1_000, 1_000, 1);
    assertThat(HistoryChecker.check(history, ONE))
        .containsExactly(new Violation(Kind.FALSE_DENIAL, 1_000, 1_000, 1, ONE));
  }

  @Test
  void aDenialIsExcusedByWhatMayHaveBeenCharged() {
    allowed(0, 1, 1); // perhaps at 1
    denied(1_000, 1_005, 1);
    allowed(2_000, 2_010, 1); // perhaps at 2000
    denied(1_990, 2_000, 1);
    assertThat(HistoryChecker.check(history, ONE)).isEmpty();

    denied(1_001, 1_005, 1);
    denied(1_990, 1_999, 1);
    assertThat(HistoryChecker.check(history, ONE))
        .extracting(Violation::kind, Violation::fromMicros)
        .containsExactly(tuple(Kind.FALSE_DENIAL, 1_001L), tuple(Kind.FALSE_DENIAL, 1_990L));
  }

  @Test
  void aDenialIsJudgedByItsCost() {
    allowed(0, 0, 7);
    denied(5, 5, 4);
    assertThat(HistoryChecker.check(history, TEN)).isEmpty();

    denied(5, 5, 3);
    assertThat(HistoryChecker.check(history, TEN))
        .containsExactly(new Violation(Kind.FALSE_DENIAL, 5, 5, 10, TEN));
  }

  @Test
  void oneLimitWithoutRoomExcusesADenial() {
    Limit slow = Limit.parse("12/1s");
    allowed(0, 0, 10);
    denied(2_000, 2_000, 3);
    assertThat(HistoryChecker.check(history, TEN, slow)).isEmpty();

    denied(2_000, 2_000, 2);
    assertThat(HistoryChecker.check(history, TEN, slow))
        .extracting(Violation::kind)
        .containsExactly(Kind.FALSE_DENIAL);
    allowed(2_000, 2_000, 9);
    assertThat(HistoryChecker.check(history, TEN, slow))
        .containsExactly(new Violation(Kind.OVER_LIMIT, 2_000 - 1_000_000 + 1, 2_000, 19, slow));
  }

  @Test
  void doesNotJudgeTheDenialsOfALogWithCells() {
    Limit cells = TEN.withCells(4);
    denied(0, 0, 1);
    assertThat(HistoryChecker.check(history, cells)).isEmpty();

    allowed(0, 0, 11);
    assertThat(HistoryChecker.check(history, cells)).hasSize(1);
  }

  @Test
  void listsOnlyTheFirstFalseDenials() {
    for (int i = 0; i < 1_000; i++) {
      denied(i, i, 1);
    }
    assertThat(HistoryChecker.check(history, ONE)).hasSize(10);
  }

  @Test
  void refusesWhatItCannotJudge() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HistoryChecker.check(history, Limit.parse("1/1s fixed-window")))
        .withMessage("limits must be sliding logs, was 1/1s fixed-window");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> history.add(5, 4, 1, true))
        .withMessage("respondedMicros must be at least 5, was 4");
    allowed(0, 1, 1);
    allowed(1L << 34, 1L << 34, 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HistoryChecker.check(history, ONE))
        .withMessage("history must be shorter than two hours");
  }

  @Test
  void joinsHistories() {
    History other = new History();
    for (int i = 0; i < 5_000; i++) {
      other.add(i, i, 1_000_000_000, i % 2 == 0);
    }
    allowed(7, 8, 1);

    History joined = History.joined(List.of(history, other, new History()));

    assertThat(joined.size()).isEqualTo(5_001);
    assertThat(joined.admitted()).isEqualTo(2_501);
    assertThat(joined.permits(1)).isEqualTo(1_000_000_000);
    assertThat(joined.permits(2)).isEqualTo(1_000_000_000);
    assertThat(joined.isAllowed(2)).isFalse();
  }

  @Test
  void agreesWithTheDefinitions() {
    Random random = new Random(SEED);
    int wrong = 0;
    for (int run = 0; run < 3_000; run++) {
      History some = new History();
      for (int i = random.nextInt(25); i >= 0; i--) {
        long invoked = random.nextInt(4_000);
        long took = random.nextInt(random.nextInt(5) == 0 ? 2_000 : 100);
        some.add(invoked, invoked + took, random.nextInt(4), random.nextInt(3) > 0);
      }
      long excess = HistoryByDefinition.mostInAnyWindow(some, W);
      long denials = HistoryByDefinition.falseDenials(some, TEN);
      List<Violation> found = HistoryChecker.check(some, TEN);
      assertThat(found)
          .as("replay with -Dsash.seed=%d", SEED)
          .filteredOn(violation -> violation.kind() == Kind.OVER_LIMIT)
          .extracting(Violation::permits)
          .isEqualTo(excess > 10 ? List.of(excess) : List.of());
      assertThat(found)
          .as("replay with -Dsash.seed=%d", SEED)
          .filteredOn(violation -> violation.kind() == Kind.FALSE_DENIAL)
          .hasSize((int) Math.min(10, denials));
      wrong += found.isEmpty() ? 0 : 1;
    }
    assertThat(wrong).as("histories of both kinds").isBetween(300, 2_900);
  }

  private void allowed(long invoked, long responded, long permits) {
    history.add(invoked, responded, permits, true);
  }

  private void denied(long invoked, long responded, long permits) {
    history.add(invoked, responded, permits, false);
  }
}
