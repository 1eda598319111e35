package dev.sash.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HashSlotTest {
  /** 0x31C3 is the check value that the cluster specification gives for its CRC. */
  @ParameterizedTest
  @CsvSource({"123456789, 12739", "'', 0", "foo, 12182"})
  void keysHaveTheSlotsThatRedisGivesThem(String key, int slot) {
    assertThat(HashSlot.of(key)).isEqualTo(slot);
  }

  @ParameterizedTest
  @CsvSource({
    "{foo},         foo",
    "a{foo}b,       foo",
    "{foo}{bar},    foo",
    "'}{foo}',      foo",
    "a{{foo}}b,     {foo",
  })
  void onlyTheFirstPartInBracesCounts(String key, String hashed) {
    assertThat(HashSlot.of(key)).isEqualTo(HashSlot.of("{" + hashed + "}"));
    assertThat(HashSlot.of(key)).isNotEqualTo(HashSlot.of("other"));
  }
}
