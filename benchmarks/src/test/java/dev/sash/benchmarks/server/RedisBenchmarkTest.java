package dev.sash.benchmarks.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class RedisBenchmarkTest {
  @Test
  void readsTheRateOfTheLastLine() throws IOException {
    String csv =
        """
        "test","rps","avg_latency_ms","min_latency_ms"
        "SASH.CHECK bench k","123456.79","0.8","0.1"
        """;
    assertThat(RedisBenchmark.perSecond(csv)).isEqualTo(123456.79);
  }

  @Test
  void refusesWhatIsNoResult() {
    assertThatThrownBy(() -> RedisBenchmark.perSecond("Could not connect to Redis"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Could not connect to Redis");
  }
}
