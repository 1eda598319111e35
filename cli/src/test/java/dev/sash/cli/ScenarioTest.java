package dev.sash.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sash.Limit;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScenarioTest {
  private static final long WINDOW = Demo.LOG.limit().windowMicros();

  private static final Scenario BURSTS = Scenario.burstsAroundABoundary(100, WINDOW);
  private static final Scenario STREAM = Scenario.steadyStream(100, WINDOW, 3);
  private static final Scenario ATTACK = Scenario.attackOn(Demo.COUNTER);

  @Test
  void theBurstsAreTwoSecondsApart() {
    assertThat(BURSTS.requests().count()).isEqualTo(200);
    assertThat(BURSTS.requests().usageAt(59_000_000, 1)).isEqualTo(100);
    assertThat(BURSTS.requests().usageAt(61_000_000, 1)).isEqualTo(100);
  }

  @Test
  void theLogsKeepTheBurstsToTheLimit() {
    assertAdmits(Demo.LOG, BURSTS, 100, 100, 0, 0);
    assertAdmits(Demo.CELLED_LOG, BURSTS, 100, 100, 0, 0);
  }

  @Test
  void theFixedWindowAdmitsBothBursts() {
    assertAdmits(Demo.FIXED_WINDOW, BURSTS, 200, 100, 100, 0);
  }

  @Test
  void theCounterIsALittleOverAfterTheBursts() {
    // A second into the window: 100 * 59/60 = 98 are still charged.
    assertAdmits(Demo.COUNTER, BURSTS, 102, 100, 2, 0);
  }

  @Test
  void theTokenBucketRefillsBetweenTheBursts() {
    // Two seconds: 3 1/3 permits.
    assertAdmits(Demo.TOKEN_BUCKET, BURSTS, 103, 100, 3, 0);
  }

  @Test
  void theStreamFitsTheLimitInEveryTrueWindow() {
    assertThat(STREAM.requests().count()).isEqualTo(300);
    assertThat(STREAM.requests().worstUsage(WINDOW)).isEqualTo(100);
  }

  @Test
  void theExactLogDeniesNothingOfTheStream() {
    assertAdmits(Demo.LOG, STREAM, 100, 100, 100, 100);
    assertAdmits(Demo.FIXED_WINDOW, STREAM, 100, 100, 100, 100);
    assertAdmits(Demo.TOKEN_BUCKET, STREAM, 100, 100, 100, 100);
  }

  @Test
  void theCounterDeniesOneOfTheStream() {
    // At 1:00 the previous window still weighs in whole.
    assertAdmits(Demo.COUNTER, STREAM, 100, 100, 99, 100);
  }

  @Test
  void cellsCostTheStreamNoMoreThanTheirShare() {
    Run run = assertAdmits(Demo.CELLED_LOG, STREAM, 100, 100, 91, 91);

    assertThat(run.admitted().count()).isGreaterThan(300 * Demo.CELLS / (Demo.CELLS + 1));
  }

  @Test
  void theAttackWaitsForTheEarliestTickThatTheCounterAllows() {
    long[] times = ATTACK.requests().toArray();

    assertThat(times).hasSize(200).startsWith(WINDOW - 1);
    for (int k = 0; k < 100; k++) {
      assertThat(times[k]).isEqualTo(WINDOW - 1);
      // ⌊100 (W - e) / W⌋ + k + 1 ≤ 100 from e > k W / 100 on.
      assertThat(times[100 + k]).isEqualTo(WINDOW + k * WINDOW / 100 + 1);
    }
  }

  @Test
  void theAttackDoublesTheCounterAndTheFixedWindow() {
    assertAdmits(Demo.COUNTER, ATTACK, 200, 100, 100, 0);
    assertAdmits(Demo.FIXED_WINDOW, ATTACK, 200, 100, 100, 0);
  }

  @Test
  void theAttackGetsAllButOneOfTwiceTheLimitFromTheTokenBucket() {
    assertAdmits(Demo.TOKEN_BUCKET, ATTACK, 199, 100, 99, 0);
  }

  @Test
  void theAttackGetsNothingMoreFromTheLogs() {
    assertAdmits(Demo.LOG, ATTACK, 100, 100, 0, 0);
    assertAdmits(Demo.CELLED_LOG, ATTACK, 100, 100, 0, 0);
  }

  @Test
  void theSameScenarioGivesTheSameRun() {
    assertThat(Run.of(Demo.COUNTER, ATTACK).admitted().toArray())
        .isEqualTo(Run.of(Demo.COUNTER, ATTACK).admitted().toArray());
  }

  @Test
  void everyContenderHasTheSameLimit() {
    assertThat(Demo.CONTENDERS)
        .extracting(Contender::limit)
        .doesNotHaveDuplicates()
        .extracting(Limit::permits, Limit::windowMicros)
        .containsOnly(tuple(100L, 60_000_000L));
  }

  private static Run assertAdmits(
      Contender contender, Scenario scenario, int worst, Integer... perWindow) {
    Run run = Run.of(contender, scenario);
    List<Integer> admitted =
        List.of(
            run.admitted().countBetween(0, WINDOW),
            run.admitted().countBetween(WINDOW, 2 * WINDOW),
            run.admitted().countBetween(2 * WINDOW, 3 * WINDOW));
    assertThat(admitted).as("per window, %s", contender.name()).containsExactly(perWindow);
    assertThat(run.worst()).as("worst, %s", contender.name()).isEqualTo(worst);
    assertThat(run.isOver()).isEqualTo(worst > 100);
    assertThat(run.denied() + run.admitted().count()).isEqualTo(scenario.requests().count());
    return run;
  }
}
