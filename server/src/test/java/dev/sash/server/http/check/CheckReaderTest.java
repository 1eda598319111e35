package dev.sash.server.http.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sash.Limit;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.http.check.CheckReader.Form;
import dev.sash.server.http.check.CheckReader.Item;
import dev.sash.server.http.exchange.Refusal;
import java.nio.charset.Charset;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckReaderTest {
  private static CheckRequest one(String body) {
    return CheckReader.one(body.getBytes(UTF_8), Form.CHECK).request();
  }

  private static CheckRequest request(Item item) {
    return Objects.requireNonNull(item.call()).request();
  }

  private static String refusalOf(String body) {
    Refusal refusal = catchThrowableOfType(Refusal.class, () -> one(body));
    assertThat(refusal.status()).isEqualTo(400);
    return refusal.detail();
  }

  @Test
  void readsEverythingThatAQuestionMaySay() {
    assertThat(
            one(
                """
                {"attributes": {"ip": "192.0.2.1", "plan": "pro"}, "permits": 3,
                 "key": "user:\\u00e9\\n", "policy": "api"}
                """))
        .isEqualTo(
            new CheckRequest(
                "api", "user:é\n", 3L, Map.of("ip", "192.0.2.1", "plan", "pro"), null));
    assertThat(one("{\"policy\":\"api\"}"))
        .isEqualTo(new CheckRequest("api", null, null, Map.of(), null));
    assertThat(one("{\"key\":\"ann\",\"limits\":[\"10/1m\",\"100 per 1h sliding-counter\"]}"))
        .isEqualTo(
            new CheckRequest(
                null,
                "ann",
                null,
                Map.of(),
                List.of(Limit.parse("10/1m"), Limit.parse("100/1h sliding-counter"))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                                   | body must be an object, was empty",
        "[]                                   | body must be an object, was an array",
        "null                                 | body must be an object, was null",
        "{}                                   | policy must be given",
        "{\"policy\":1}                       | policy must be a string, was a number",
        "{\"policy\":null}                    | policy must be a string, was null",
        "{\"policy\":{}}                      | policy must be a string, was an object",
        "{\"key\":true}                       | key must be a string, was a boolean",
        "{\"permits\":\"1\"}                  | permits must be a whole number in digits, was a string",
        "{\"permits\":1.5}                    | permits must be a whole number in digits, was written otherwise",
        "{\"permits\":1e2}                    | permits must be a whole number in digits, was written otherwise",
        "{\"permits\":99999999999999999999}   | permits must be between 0 and 1000000000, was far outside",
        "{\"attributes\":[]}                  | attributes must be an object, was an array",
        "{\"attributes\":{\"ip\":1}}          | ip must be a string, was a number",
        "{\"attributes\":{\"a\":\"\",\"a\":\"\"}} | a must be given only once",
        "{\"limits\":\"10/1m\"}               | limits must be an array such as [\"10/1m\"], was a string",
        "{\"limits\":[]}                      | limits must be 1 or more, were 0",
        "{\"limits\":[10]}                    | limits must be a string, was a number",
        "{\"policy\":\"a\",\"policy\":\"b\"}  | policy must be given only once",
        "{\"polcy\":\"a\"}                    | unknown field 'polcy': allowed are policy, key, permits, attributes, limits, receipt",
        "{\"limits\":[\"1/s\"]}               | key must be given with limits",
        "{\"policy\":\"a\"} 1                 | body must end after its object, has more",
      })
  void namesWhatIsWrong(String body, String message) {
    assertThat(refusalOf(body)).isEqualTo(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{                                    | body must be JSON at line 1",
        "{\"policy\":\"a                      | body must be JSON at line 1",
        "{'policy':'a'}                       | body must be JSON at line 1, column 2",
        "{\"policy\":\"a\",}                  | body must be JSON at line 1",
        "{\"policy\":NaN}                     | body must be JSON at line 1",
        "{\"limits\":[\"ten a day\"]}         | limit",
        "{\"policy\":[[[[[[[[[[[[[[[[[[[[[[   | policy must be a string",
      })
  void pointsAtWhatIsNotJson(String body, String message) {
    assertThat(refusalOf(body)).startsWith(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE"})
  void readsUtf8Alone(String charset) {
    byte[] body = "{\"policy\":\"api\"}".getBytes(Charset.forName(charset));
    Refusal refusal = catchThrowableOfType(Refusal.class, () -> CheckReader.one(body, Form.CHECK));
    assertThat(refusal.status()).isEqualTo(400);
    assertThat(refusal.detail()).startsWith("body must be JSON at line 1, column ");
  }

  @Test
  void refusesBytesThatAreNoText() {
    byte[] body = "{\"policy\":\"aX\"}".getBytes(UTF_8);
    body[12] = (byte) 0xFF;
    Refusal refusal = catchThrowableOfType(Refusal.class, () -> CheckReader.one(body, Form.CHECK));
    assertThat(refusal.detail()).startsWith("body must be JSON");
  }

  @Test
  void aPeekHasNoPermits() {
    Refusal refusal =
        catchThrowableOfType(
            Refusal.class,
            () -> CheckReader.one("{\"policy\":\"a\",\"permits\":1}".getBytes(UTF_8), Form.LOOK));
    assertThat(refusal.detail())
        .isEqualTo("unknown field 'permits': allowed are policy, key, attributes, limits");
  }

  @Test
  void oneBadItemDoesNotSpoilTheOthers() {
    List<Item> items =
        CheckReader.batch(
            """
            {"requests": [
              {"policy": "a", "key": "k"},
              {"policy": "a", "nested": {"deep": [1, {"er": 2}]}, "key": "k"},
              [1, [2]],
              "text",
              {"policy": "a", "attributes": {"x": {"y": 1}}},
              {},
              {"policy": "b", "key": "l", "permits": 2}
            ]}
            """
                .getBytes(UTF_8));

    assertThat(items).hasSize(7);
    assertThat(request(items.get(0))).isEqualTo(new CheckRequest("a", "k", null, Map.of(), null));
    assertThat(request(items.get(6))).isEqualTo(new CheckRequest("b", "l", 2L, Map.of(), null));
    assertThat(items.subList(1, 6))
        .extracting(item -> item.refusal().detail())
        .containsExactly(
            "unknown field 'nested': allowed are policy, key, permits, attributes, limits, receipt",
            "request must be an object, was an array",
            "request must be an object, was a string",
            "x must be a string, was an object",
            "policy must be given");
  }

  @Test
  void aBatchHasAMaximum() {
    String item = "{\"policy\":\"a\",\"key\":\"k\"}";
    String most = String.join(",", Collections.nCopies(1000, item));
    assertThat(CheckReader.batch(("{\"requests\":[" + most + "]}").getBytes(UTF_8))).hasSize(1000);
    Refusal refusal =
        catchThrowableOfType(
            Refusal.class,
            () ->
                CheckReader.batch(("{\"requests\":[" + most + "," + item + "]}").getBytes(UTF_8)));
    assertThat(refusal.detail()).isEqualTo("requests must be at most 1000, are more");
  }
}
