package dev.sash.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.cli.Arguments.BadArgumentsException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
  private static final List<String> FLAGS =
      List.of("--port", "--resp-port", "--delay", "--format", "--size");

  private static Arguments parse(String... words) {
    return Arguments.parse(
        "serve", FLAGS, List.of(words), Map.of("SASH_RESP_PORT", "6380", "SASH_PORT", "1"));
  }

  @Test
  void readsFlagsOrElseTheEnvironment() {
    Arguments arguments = parse("one", "--port", "9090", "--delay=5s", "two");

    assertThat(arguments.others()).containsExactly("one", "two");
    assertThat(arguments.number("--port", 0, 65_535)).isEqualTo(9090);
    assertThat(arguments.number("--resp-port", 0, 65_535)).isEqualTo(6380);
    assertThat(arguments.duration("--delay", Duration.ZERO)).isEqualTo(Duration.ofSeconds(5));
    assertThat(arguments.text("--format")).isNull();
    assertThat(arguments.choice("--format", List.of("text", "json"))).isEqualTo("text");
  }

  @Test
  void readsEveryUnitOfTime() {
    assertThat(parse("--delay=250ms").duration("--delay", Duration.ZERO))
        .isEqualTo(Duration.ofMillis(250));
    assertThat(parse("--delay=2m").duration("--delay", Duration.ZERO))
        .isEqualTo(Duration.ofMinutes(2));
    assertThat(parse("--delay=1h").duration("--delay", Duration.ZERO))
        .isEqualTo(Duration.ofHours(1));
  }

  @Test
  void readsEveryUnitOfMemory() {
    assertThat(parse().bytes("--size")).isZero();
    assertThat(parse("--size=4294967296").bytes("--size")).isEqualTo(1L << 32);
    assertThat(parse("--size=64k").bytes("--size")).isEqualTo(65_536);
    assertThat(parse("--size=512M").bytes("--size")).isEqualTo(512L << 20);
    assertThat(parse("--size=16gb").bytes("--size")).isEqualTo(16L << 30);
  }

  @Test
  void namesWhatIsWrong() {
    assertThatThrownBy(() -> parse("--prot", "1"))
        .isInstanceOf(BadArgumentsException.class)
        .hasMessage("serve does not know '--prot'; did you mean '--port'?");
    assertThatThrownBy(() -> parse("--port")).hasMessage("--port must have a value");
    assertThatThrownBy(() -> parse("--port=1", "--port=2"))
        .hasMessage("--port must be given only once");
    assertThatThrownBy(() -> parse("--port=x").number("--port", 0, 65_535))
        .hasMessage("--port must be between 0 and 65535, was 'x'");
    assertThatThrownBy(() -> parse("--port=65536").number("--port", 0, 65_535))
        .hasMessage("--port must be between 0 and 65535, was '65536'");
    assertThatThrownBy(() -> parse("--delay=5").duration("--delay", Duration.ZERO))
        .hasMessage("--delay must be such as 500ms, 5s or 1m, was '5'");
    for (String size : List.of("0", "0m", "-1", "1.5g", "1t", "m", "9999999999999g")) {
      assertThatThrownBy(() -> parse("--size=" + size).bytes("--size"))
          .isInstanceOf(BadArgumentsException.class)
          .hasMessage(
              "--size must be 1 or more bytes, such as 65536k, 512m or 1g, was '" + size + "'");
    }
    assertThatThrownBy(() -> parse("--format=xml").choice("--format", List.of("text", "json")))
        .hasMessage("--format must be one of text, json, was 'xml'");
  }
}
