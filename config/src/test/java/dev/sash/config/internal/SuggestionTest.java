package dev.sash.config.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionTest {
  private static final List<String> NAMES =
      List.of("limit", "limits", "key", "tiers", "tier-by", "cost", "on-failure", "deadline");

  @ParameterizedTest
  @CsvSource({
    "limt, limit",
    "limist, limit",
    "limitss, limits",
    "lmiit, limit",
    "Limit, limit",
    "onfailure, on-failure",
    "on_failure, on-failure",
    "on-failrue, on-failure",
    "tierby, tier-by",
    "kye, key",
    "dead-line, deadline",
    "algorithm,",
    "x,",
    "'',",
  })
  void findsTheNameThatWasMeant(String found, String meant) {
    assertThat(Suggestion.nearest(found, NAMES)).isEqualTo(meant);
  }

  @Test
  void doesNotComputeMuchForLongNames() {
    assertThat(Suggestion.after("a".repeat(1 << 20), List.of("a".repeat(64)))).isEmpty();
  }
}
