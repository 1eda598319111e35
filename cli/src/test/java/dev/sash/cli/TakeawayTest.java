package dev.sash.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TakeawayTest {
  private static final Duration WINDOW = Duration.ofMillis(1);
  private static final Contender LOG = new Contender("log", Limit.slidingLog(2, WINDOW));
  private static final Contender COUNTER =
      new Contender("counter", Limit.slidingCounter(2, WINDOW));
  private static final Contender FIXED = new Contender("fixed", Limit.fixedWindow(2, WINDOW));

  @Test
  void namesEverybodyWhoAdmittedMost() {
    List<Run> runs =
        List.of(
            run(LOG, requests(4), 1, 2),
            run(COUNTER, requests(4), 1, 2, 3),
            run(FIXED, requests(4), 1, 2, 3));

    assertThat(Takeaway.theWorst(runs))
        .isEqualTo("Counter and fixed let 3 into one minute, 50 % over the limit; log 2.");
  }

  @Test
  void accusesNobodyWhoKeptToTheLimit() {
    List<Run> runs = List.of(run(LOG, requests(2), 1, 2), run(FIXED, requests(2), 1));

    assertThat(Takeaway.theWorst(runs)).isEqualTo("Nobody let more than 2 into any true minute.");
  }

  @Test
  void comparesTheCounterWithTheLog() {
    List<Run> runs =
        List.of(
            run(FIXED, requests(3), 1, 2, 3),
            run(COUNTER, requests(3), 1, 2),
            run(LOG, requests(3), 1));

    assertThat(Takeaway.theCounter(runs))
        .isEqualTo("Counter let 2 into one minute, by timing alone; log 1.");
  }

  @Test
  void countsTheDenialsOfWhatFits() {
    List<Run> runs =
        List.of(run(COUNTER, requests(2)), run(LOG, requests(2), 1, 2), run(FIXED, requests(2), 1));

    assertThat(Takeaway.falseDenials(runs))
        .isEqualTo("All 2 fit: log denied 0, fixed 1, counter 2.");
  }

  @Test
  void saysSoWhenNotAllOfItFits() {
    assertThat(Takeaway.falseDenials(List.of(run(LOG, requests(3), 1, 2))))
        .isEqualTo("Not all 3 fit: log denied 1.");
  }

  /** So many requests within one window. */
  private static Moments requests(int count) {
    return moments(new long[count]);
  }

  private static Run run(Contender contender, Moments requests, long... admitted) {
    return new Run(contender, requests, moments(admitted));
  }

  private static Moments moments(long... micros) {
    return Moments.of(Arrays.stream(micros).boxed().toList());
  }
}
