package dev.sash.benchmarks.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.benchmarks.http.Contest.Flood;
import dev.sash.benchmarks.http.Contest.Pace;
import org.HdrHistogram.IntCountsHistogram;
import org.junit.jupiter.api.Test;

class ContestTest {
  @Test
  void theRateIsWhatWasAnsweredInTheTimeItTook() {
    assertThat(new Flood(5_000, 0.25, 0.2).perSecond()).isEqualTo(20_000);
  }

  @Test
  void aPaceIsToldInMicroseconds() {
    IntCountsHistogram nanos = new IntCountsHistogram(3);
    nanos.recordValueWithCount(100_000, 98);
    nanos.recordValueWithCount(2_000_000, 2);
    Pace pace = Pace.of(nanos);
    assertThat(Math.round(pace.p50Micros())).isEqualTo(100);
    assertThat(pace.p99Micros()).isBetween(1_999.0, 2_002.0);
  }
}
