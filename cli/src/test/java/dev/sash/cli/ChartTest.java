package dev.sash.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChartTest {
  private static final long LIMIT = 8;
  private static final long WINDOW = 10;

  @Test
  void risesByALevelForEachEighthOfTheLimit() {
    List<Long> times = new ArrayList<>();
    for (long time = 0; time < 8; time++) {
      times.add(time);
    }

    assertThat(draw(Chart.BLOCKS, times, 8)).isEqualTo("▁▂▃▄▅▆▇█");
    assertThat(draw(Chart.ASCII, times, 8)).isEqualTo(".:-=+*%#");
  }

  @Test
  void marksWhatIsOverTheLimitAndWhatIsNothing() {
    List<Long> times = new ArrayList<>(Collections.nCopies(8, 2L));
    times.add(4L);

    assertThat(draw(Chart.BLOCKS, times, 15)).isEqualTo("··██▲▲▲▲▲▲▲▲▁▁·");
    assertThat(draw(Chart.ASCII, times, 15)).isEqualTo("__##!!!!!!!!.._");
  }

  @Test
  void aSinglePermitOfALargeLimitShows() {
    String line = Chart.ASCII.draw(Moments.of(List.of(0L)), 1_000_000_000, WINDOW, 1, 1);

    assertThat(line).isEqualTo(".");
  }

  @Test
  void looksFullOnlyNearTheLimit() {
    String line = Chart.ASCII.draw(Moments.of(Collections.nCopies(87, 0L)), 100, WINDOW, 1, 1);

    assertThat(line).isEqualTo("%");
  }

  @Test
  void aPeakShorterThanASliceIsNotLost() {
    List<Long> times = new ArrayList<>(Collections.nCopies(8, 3L));
    times.addAll(List.of(12L, 13L));

    assertThat(Chart.ASCII.draw(Moments.of(times), LIMIT, WINDOW, 10, 3)).isEqualTo("#!:");
  }

  private static String draw(Chart chart, List<Long> times, int columns) {
    return chart.draw(Moments.of(times), LIMIT, WINDOW, 1, columns);
  }
}
