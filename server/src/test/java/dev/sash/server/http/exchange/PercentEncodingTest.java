package dev.sash.server.http.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PercentEncodingTest {
  @ParameterizedTest
  @CsvSource({"user:42,user:42", "a%2Fb,a/b", "%25%32%35,%25", "caf%C3%A9,café", "a+b,a+b"})
  void decodesOnce(String encoded, String decoded) {
    assertThat(PercentEncoding.decoded("key", encoded)).isEqualTo(decoded);
  }

  @ParameterizedTest
  @ValueSource(strings = {"%", "%4", "a%", "%zz", "%C3", "%FF", "%C0%80", "é%20", "%٣٣"})
  void refusesWhatIsNotWhole(String encoded) {
    assertThatThrownBy(() -> PercentEncoding.decoded("key", encoded))
        .isInstanceOf(Refusal.class)
        .hasMessageStartingWith("key must ");
  }

  @Test
  void readsQueries() {
    assertThat(PercentEncoding.parameters("a=1&b=x+y%2B&c"))
        .containsExactly(Map.entry("a", "1"), Map.entry("b", "x y+"), Map.entry("c", ""));
    assertThat(PercentEncoding.parameters(null)).isEmpty();
    assertThatThrownBy(() -> PercentEncoding.parameters("a=1&a=2"))
        .hasMessage("query must have a parameter only once, has one twice");
  }
}
