package dev.sash.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimesTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0 ms",
    "1, 1 ms",
    "999, 999 ms",
    "1000, 1.0 s",
    "1001, 1.1 s",
    "58443, 58.5 s",
    "59900, 59.9 s",
    "59901, 1 min",
    "60001, 1 min 1 s",
    "899998, 15 min",
    "3599000, 59 min 59 s",
    "3599001, 1 h",
    "12000000, 3 h 20 min",
    "86340001, 1 d",
    "31622400000, 366 d"
  })
  void roundsUpToTheTwoLargestUnits(long millis, String text) {
    assertThat(Times.text(millis)).isEqualTo(text);
  }
}
