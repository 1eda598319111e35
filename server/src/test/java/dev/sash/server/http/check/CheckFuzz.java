package dev.sash.server.http.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.http.check.CheckReader.Form;
import dev.sash.server.http.check.CheckReader.Item;
import dev.sash.server.http.exchange.Exchange;
import dev.sash.server.http.exchange.JsonBytes;
import dev.sash.server.http.exchange.Refusal;
import java.util.List;

/**
 * Whatever bodies and paths anybody sends: a request or a refusal with a message, and nothing else.
 * In the build each test runs on the inputs in {@code CheckFuzzInputs}; CONTRIBUTING.md describes
 * how to look for more.
 */
class CheckFuzz {
  @FuzzTest(maxDuration = "1m")
  void one(FuzzedDataProvider data) {
    Form form = data.pickValue(Form.values());
    byte[] body = data.consumeRemainingAsBytes();
    try {
      CheckRequest request = CheckReader.one(body, form).request();
      assertThat(request.policy() == null).isEqualTo(request.limits() != null);
    } catch (Refusal refusal) {
      check(refusal);
    }
  }

  @FuzzTest(maxDuration = "1m")
  void batch(FuzzedDataProvider data) {
    try {
      List<Item> items = CheckReader.batch(data.consumeRemainingAsBytes());
      assertThat(items).hasSizeLessThanOrEqualTo(CheckReader.MOST_IN_BATCH);
      for (Item item : items) {
        assertThat(item.call() == null).isEqualTo(item.refusal() != null);
        if (item.refusal() != null) {
          check(item.refusal());
        }
      }
    } catch (Refusal refusal) {
      check(refusal);
    }
  }

  @FuzzTest(maxDuration = "1m")
  void path(FuzzedDataProvider data) {
    String policy = data.consumeString(40);
    String key = data.consumeString(100);
    String query = data.consumeRemainingAsString();
    try {
      Checks.byPath(List.of(policy, key), query);
    } catch (Refusal refusal) {
      check(refusal);
    }
  }

  private static void check(Refusal refusal) {
    assertThat(refusal.status()).isEqualTo(400);
    assertThat(refusal.detail()).isNotBlank();
    // It can be told.
    JsonBytes json = new JsonBytes();
    Exchange.problemFields(json.put('{'), refusal.status(), "about:blank", refusal.detail());
    assertThat(new String(json.put('}').toBuffer().getBytes(), UTF_8)).endsWith("\"}");
  }
}
