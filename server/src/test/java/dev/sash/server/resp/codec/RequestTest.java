package dev.sash.server.resp.codec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestTest {
  @Test
  void readsTextOfAnyCharacters() {
    for (String text : new String[] {"ann", "", "a b\r\n\0{}", "é", "\uD83D\uDE00"}) {
      assertThat(request(text.getBytes(UTF_8)).text(0, "key")).isEqualTo(text);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u00ff",
        "\u00c3",
        "a\u00c0\u0080",
        "\u00ed\u00a0\u0080",
        "\u00f5\u0080\u0080\u0080"
      })
  void refusesBytesThatWouldBecomeTheSameTextAsOthers(String bytes) {
    assertThatExceptionOfType(CommandException.class)
        .isThrownBy(() -> request(bytes.getBytes(ISO_8859_1)).text(0, "key"))
        .withMessage("key must be UTF-8");
  }

  @Test
  void readsWholeNumbers() {
    assertThat(number("0")).isZero();
    assertThat(number("007")).isEqualTo(7);
    assertThat(number("-12")).isEqualTo(-12);
    assertThat(number("999999999999999999")).isEqualTo(999_999_999_999_999_999L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-", "+1", "1.5", "1e3", " 1", "0x1", "٣", "1000000000000000000"})
  void refusesWhatIsNoWholeNumberOfALong(String text) {
    assertThatExceptionOfType(CommandException.class)
        .isThrownBy(() -> number(text))
        .withMessage("permits must be a whole number");
  }

  @Test
  void doesNotDistinguishCapitalsInWords() {
    assertThat(request("CL.Throttle[".getBytes(UTF_8)).word(0)).isEqualTo("cl.throttle[");
  }

  private static long number(String text) {
    return request(text.getBytes(UTF_8)).number(0, "permits");
  }

  private static Request request(byte[] word) {
    Request request = new Request();
    request.lieIn(word);
    request.add(0, word.length);
    return request;
  }
}
