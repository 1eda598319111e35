package dev.sash.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.config.policy.PolicyConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OlderFormTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          use-algo: sliding-window-algo, window-size: 60, max-requests: 100 | 100/1m
          use-algo: fixed-window-algo, window-size: 1, max-requests: 5      | 5/s fixed-window
          window-size: 3600, max-requests: 1000                             | 1000/1h
          """)
  void isThePolicyDefault(String entries, String limit) {
    Configuration read = Configuration.parse("rate-limiter: {" + entries + "}", "old.yaml");

    assertThat(read.policies()).containsOnlyKeys("default");
    assertThat(read.policies().get("default"))
        .usingRecursiveComparison()
        .isEqualTo(PolicyConfig.of(Policy.of("default", Limit.parse(limit))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {window-size: 60}                      | 1:15: rate-limiter must have max-requests
          {max-requests: 60}                     | 1:15: rate-limiter must have window-size
          {window-size: 1m, max-requests: 5}     | 1:29: window-size must be a whole number between 1 and 31622400, was '1m'
          {window-size: 60, max-requests: 0}     | 1:47: max-requests must be a whole number between 1 and 1000000000, was '0'
          {window-size: 60, max-requests: 5, use-algo: sliding} | 1:60: use-algo must be one of sliding-window-algo, fixed-window-algo, was 'sliding'
          {window-sise: 60, window-size: 60, max-requests: 5} | 1:16: unknown name 'window-sise', allowed are use-algo, window-size, max-requests; did you mean 'window-size'?
          5                                      | 1:15: rate-limiter must be a mapping with use-algo, window-size, max-requests, was '5'
          """)
  void saysWhatIsWrong(String value, String expected) {
    assertThat(NativeProblemsTest.messageFor("rate-limiter: " + value))
        .isEqualTo("sash.yaml:" + expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"policies", "trusted-proxies"})
  void standsAloneInItsFile(String other) {
    assertThat(
            NativeProblemsTest.messageFor(
                "rate-limiter: {window-size: 1, max-requests: 5}\n" + other + ": {}"))
        .isEqualTo("sash.yaml:2:1: unknown name '" + other + "', allowed are rate-limiter");
  }
}
