package dev.sash.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class ByteBudgetTest {
  private final ByteBudget budget = new ByteBudget(100);

  @Test
  void boundsWhatAllSharesHoldTogether() {
    ByteBudget.Share one = budget.share();
    ByteBudget.Share two = budget.share();
    assertThat(one.resize(60)).isTrue();
    assertThat(two.resize(41)).isFalse();
    assertThat(two.resize(40)).isTrue();
    assertThat(one.resize(61)).isFalse();
    assertThat(budget.used()).isEqualTo(100);
    assertThat(one.resize(10)).isTrue();
    assertThat(two.resize(90)).isTrue();
    two.release();
    two.release();
    assertThat(budget.used()).isEqualTo(10);
    assertThat(one.resize(Long.MAX_VALUE)).isFalse();
    one.release();
    assertThat(budget.used()).isZero();
  }

  @Test
  void refusesABudgetOfNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ByteBudget(0))
        .withMessage("max must be 1 or more, was 0");
  }

  @RepeatedTest(20)
  void isNeverExceededByManyThreads() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Boolean>> members = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        int size = 10 + i;
        members.add(
            () -> {
              ByteBudget.Share share = budget.share();
              boolean within = true;
              for (int round = 0; round < 10_000; round++) {
                share.resize(round % 7 * size);
                within &= budget.used() <= 100;
              }
              share.release();
              return within;
            });
      }
      for (Future<Boolean> member : pool.invokeAll(members)) {
        assertThat(member.get()).isTrue();
      }
    } finally {
      pool.shutdown();
    }
    assertThat(budget.used()).isZero();
  }
}
