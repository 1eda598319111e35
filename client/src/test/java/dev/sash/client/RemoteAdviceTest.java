package dev.sash.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RemoteAdviceTest {
  private static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");
  private static final Duration OTHERWISE = Duration.ofSeconds(7);

  /** Fields are separated by {@code |}; the expected wait is in seconds. */
  @ParameterizedTest(name = "{0} {1}: {2}")
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      textBlock =
          """
          429 => Retry-After: 30 => 30
          503 => Retry-After: 30 => 30
          429 => retry-after:   30  => 30
          429 => Retry-After: 0 => 0
          429 => Retry-After: 1.2 => 2
          429 => Retry-After: 999999999999999 => 999999999999999
          429 => Retry-After: 99999999999999999999999999 => 1000000000000000
          429 => Retry-After: 00000000000000000000000030 => 30
          429 => Retry-After: Wed, 18 Nov 2026 12:00:30 GMT => 30
          429 => Retry-After: Wed, 18 Nov 2026 12:00:30 GMT | Date: Wed, 18 Nov 2026 12:00:20 GMT => 10
          429 => Retry-After: Wed, 18 Nov 2026 11:00:00 GMT => 0
          429 => Retry-After: Wednesday, 18-Nov-26 12:00:30 GMT => 30
          429 => Retry-After: Wed Nov 18 12:00:30 2026 => 30
          429 => Retry-After: Wed, 18 Nov 2026 12:00:30 GMT | Date: yesterday => 30
          429 => Retry-After: Tue, 18 Nov 2026 12:00:30 GMT => 7
          200 => Retry-After: 30 => 0
          301 => Retry-After: 30 => 0
          429 =>  => 7
          503 =>  => 0
          200 =>  => 0
          429 => Retry-After: soon => 7
          429 => Retry-After: -5 => 7
          429 => Retry-After: 1e9 => 7
          429 => Retry-After: 0 | RateLimit: "api";r=0;t=30 => 0
          429 => Retry-After: soon | RateLimit: "api";r=0;t=30 => 30
          503 => RateLimit: "api";r=0;t=30 => 30
          503 => Retry-After: soon => 0
          200 => RateLimit: "api";r=0;t=30 => 30
          200 => RateLimit: "api";r=1;t=30 => 0
          200 => RateLimit: "api";r=0 => 0
          429 => RateLimit: "api";r=0;t=30 => 30
          429 => RateLimit: "api";r=0;t=30 | Retry-After: 2 => 2
          200 => RateLimit: "a";r=0;t=3, "b";r=0;t=40, "c";r=5;t=600 => 40
          200 => RateLimit: "a";r=0;t=3 | RateLimit: "b";r=0;t=40 => 40
          200 => RateLimit: limit=100, remaining=0, reset=50 => 50
          200 => RateLimit: limit=100, remaining=1, reset=50 => 0
          200 => RateLimit: "a;r=0;t=3 => 0
          429 => RateLimit: "a;r=0;t=3 => 7
          200 => RateLimit: "a";r=0;t=-5 => 0
          200 => RateLimit: "a";r=-1;t=5 => 5
          200 => RateLimit: "a";r=0;t=99999999999999999999 => 0
          200 => RateLimit: "a";r=0;t="9" => 0
          200 => RateLimit: "a";r;t=9 => 0
          200 => RateLimit-Remaining: 0 | RateLimit-Reset: 50 => 50
          200 => X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 50 => 50
          200 => X-RateLimit-Remaining: 0.0 | X-RateLimit-Reset: 49.5 => 50
          200 => X-RateLimit-Remaining: 1 | X-RateLimit-Reset: 50 => 0
          200 => X-RateLimit-Reset: 50 => 0
          429 => X-RateLimit-Reset: 50 => 50
          429 => X-RateLimit-Remaining: 3 | X-RateLimit-Reset: 50 => 7
          200 => X-RateLimit-Remaining: 0 => 0
          200 => X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 1795003260 => 60
          200 => X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 1795003260000 => 60
          200 => X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 1795003200 => 0
          200 => X-RateLimit-Remaining: 0 | X-RateLimit-Reset: 1795003260 | Date: Wed, 18 Nov 2026 12:00:50 GMT => 10
          200 => X-Rate-Limit-Remaining: 0 | X-Rate-Limit-Reset: 50 => 50
          """)
  void waitOfAResponse(int status, String fields, long seconds) {
    assertThat(waitOf(status, fields == null ? "" : fields)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @Test
  void longFieldsAreIgnored() {
    assertThat(waitOf(429, "Retry-After: 0" + "0".repeat(1_000) + "9")).isEqualTo(OTHERWISE);
    assertThat(waitOf(200, "RateLimit: " + "\"a\";r=0;t=3,".repeat(100) + "\"b\";r=0;t=9"))
        .isEqualTo(Duration.ZERO);
  }

  @Test
  void aFieldWithAThousandValuesIsReadNoFurtherThanTheTenth() {
    List<String> values = new ArrayList<>(Collections.nCopies(10, "\"a\";r=0;t=3"));
    values.addAll(Collections.nCopies(990, "\"b\";r=0;t=9"));

    assertThat(RemoteAdvice.waitOf(200, Map.of("RateLimit", values)::get, NOW, OTHERWISE))
        .isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void aResponseWithoutTheFieldsMayHaveNullForThem() {
    assertThat(RemoteAdvice.waitOf(429, name -> null, NOW, OTHERWISE)).isEqualTo(OTHERWISE);
  }

  private static Duration waitOf(int status, String fields) {
    Map<String, List<String>> values =
        Arrays.stream(fields.split("\\|"))
            .filter(field -> !field.isBlank())
            .map(field -> field.split(":", 2))
            .collect(
                Collectors.groupingBy(
                    field -> field[0].strip().toLowerCase(Locale.ROOT),
                    TreeMap::new,
                    Collectors.mapping(field -> field[1], Collectors.toList())));
    return RemoteAdvice.waitOf(
        status,
        name -> values.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()),
        NOW,
        OTHERWISE);
  }
}
