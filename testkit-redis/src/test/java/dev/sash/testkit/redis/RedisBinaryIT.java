package dev.sash.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisBinaryIT {
  @Test
  void theChosenOneIsTheFirstOfAll() {
    assertThat(RedisBinary.chosen()).isEqualTo(RedisBinary.all().get(0));
  }

  @Test
  void thereIsOneOfEachVersion() {
    assertThat(RedisBinary.find("")).extracting(RedisBinary::version).doesNotHaveDuplicates();
  }

  @Test
  void theEmbeddedOneCanBeNamed() {
    RedisBinary embedded = RedisBinary.find("embedded").get(0);
    assertThat(embedded.atLeast(6, 2)).isTrue();
    assertThat(RedisBinary.find(embedded.path().toString())).isEqualTo(List.of(embedded));
  }

  @Test
  void oneThatDoesNotRunIsNotPassedOver() {
    assertThatIllegalStateException()
        .isThrownBy(() -> RedisBinary.find("no-such-file"))
        .withMessageContaining("sash.redis=no-such-file");
  }

  @ParameterizedTest
  @CsvSource({
    "6.2.11, 6, 2, true",
    "6.2.11, 6, 3, false",
    "6.2.11, 5, 9, true",
    "7.0.0,  7, 0, true",
    "7.0.0,  6, 2, true",
    "10.0.1, 7, 4, true",
    "7.2.4,  8, 0, false",
  })
  void versionsAreComparedAsNumbers(String version, int major, int minor, boolean expected) {
    RedisBinary binary = new RedisBinary(Path.of("redis-server"), version, false);
    assertThat(binary.atLeast(major, minor)).isEqualTo(expected);
  }
}
