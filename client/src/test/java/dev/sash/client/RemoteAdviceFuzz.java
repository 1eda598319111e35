package dev.sash.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Fields of hostile responses: none causes an exception or a negative wait. */
class RemoteAdviceFuzz {
  private static final List<String> FIELDS =
      List.of(
          "Date",
          "Retry-After",
          "RateLimit",
          "RateLimit-Remaining",
          "RateLimit-Reset",
          "X-RateLimit-Remaining",
          "X-RateLimit-Reset");

  @FuzzTest(maxDuration = "1m")
  void responses(FuzzedDataProvider data) {
    int status = data.pickValue(new int[] {200, 429, 503});
    Map<String, List<String>> values = new HashMap<>();
    for (String field : FIELDS) {
      values.put(field, List.of(data.consumeString(60), data.consumeString(10)));
    }
    values.put("RateLimit", List.of(data.consumeRemainingAsString()));

    Duration wait = RemoteAdvice.waitOf(status, values::get, Instant.EPOCH, Duration.ofSeconds(1));

    assertThat(wait).isGreaterThanOrEqualTo(Duration.ZERO);
  }
}
