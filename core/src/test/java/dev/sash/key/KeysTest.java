package dev.sash.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Limit;
import dev.sash.RateLimiter;
import dev.sash.Sash;
import dev.sash.address.IpAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeysTest {
  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, ip:192.0.2.1",
    "::ffff:192.0.2.1, ip:192.0.2.1",
    "2001:db8:1:2:3:4:5:6, ip:2001:db8:1:2::/64",
    "2001:0:0:1::9, ip:2001:0:0:1::/64",
    "0:0:0:7::1, ip:0:0:0:7::/64",
    "::1, ip:::/64"
  })
  void anAddressIsItselfOrItsIpv6Network(String address, String key) {
    assertThat(Keys.ofAddress(IpAddress.parse(address))).isEqualTo(key);
  }

  @Test
  void noAddressIsUnknown() {
    assertThat(Keys.ofAddress(null)).isEqualTo("ip:unknown");
    assertThat(Keys.ofAddress(null, 24, 48)).isEqualTo("ip:unknown");
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.77, 24, 48, ip:192.0.2.0/24",
    "192.0.2.77, 32, 48, ip:192.0.2.77",
    "2001:db8:1:2::7, 24, 48, ip:2001:db8:1::/48",
    "2001:db8:1:2::7, 24, 128, ip:2001:db8:1:2::7"
  })
  void networksMayBeOfAnySize(String address, int ipv4Bits, int ipv6Bits, String key) {
    assertThat(Keys.ofAddress(IpAddress.parse(address), ipv4Bits, ipv6Bits)).isEqualTo(key);
  }

  @Test
  void hashesAreTheUsualOnes() {
    byte[] secret = "key".getBytes(StandardCharsets.US_ASCII);
    String pangram = "The quick brown fox jumps over the lazy dog";

    assertThat(Keys.sha256("abc")).isEqualTo("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
    assertThat(Keys.ofApiKey("abc"))
        .isEqualTo("apikey:ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
    assertThat(Keys.hmacSha256(secret, pangram))
        .isEqualTo("97yD9DBThCSxMpjmqm-xQ-9NWaFJRhdZl0edvC0aPNg");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "user", "x-1", "sha256-", "abcdefghijklmnopqrstuvwxyz012345"})
  void takesPrefixes(String prefix) {
    assertThat(Keys.checkedPrefix(prefix)).isEqualTo(prefix);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "User", "1a", "a:b", "sha256", "a b", "abcdefghijklmnopqrstuvwxyz0123456"})
  void refusesPrefixesThatCouldBeTakenForOthers(String prefix) {
    assertThatThrownBy(() -> Keys.checkedPrefix(prefix))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "prefix must be 1 to 32 lower-case letters, digits and hyphens, the first a letter, and"
                + " not 'sha256', was '"
                + prefix
                + "'");
  }

  @Test
  void namesDoNotRunIntoValues() {
    assertThat(Keys.escapedName("a:b\\")).isEqualTo("a\\:b\\\\");
    assertThat(Keys.escapedName("plain")).isEqualTo("plain");
  }

  @Test
  void aSingleKeyIsNotCombined() {
    assertThat(Keys.joined(List.of("user:a|b"))).isEqualTo("user:a|b");
    assertThat(Keys.joined(List.of("user:a|b", "ip:\\"))).isEqualTo("(user:a\\|b|ip:\\\\)");
    assertThat(Keys.joined(List.of("user:" + "a".repeat(1020)))).startsWith("sha256:");
    assertThat(Keys.joined(List.of("user:ann", "x:" + "a".repeat(1020)))).startsWith("sha256:");
  }

  @Test
  void differentCombinationsAreDifferentKeys() {
    long seed = Long.getLong("sash.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    String[] pieces = {"a", "b", "|", "\\", "(", ")", ":", "user:", "\\|", "ip:", "#"};
    Map<String, List<String>> seen = new HashMap<>();
    for (int i = 0; i < 100_000; i++) {
      List<String> parts = new ArrayList<>();
      for (int p = random.nextInt(3) + 1; p > 0; p--) {
        StringBuilder part = new StringBuilder("user:");
        for (int c = random.nextInt(4); c > 0; c--) {
          part.append(pieces[random.nextInt(pieces.length)]);
        }
        parts.add(part.toString());
      }
      // A single key, or a combination of them, or a combination within a combination.
      String key = parts.size() == 1 ? parts.get(0) : Keys.combined(parts);
      if (random.nextInt(4) == 0) {
        key = Keys.combined(List.of(key, "user:x"));
        parts.add("/");
      }
      List<String> other = seen.putIfAbsent(key, parts);
      if (other != null) {
        assertThat(parts).as("%s, replay with -Dsash.seed=%s", key, seed).isEqualTo(other);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "é", "€", "😀", "\uD83D"})
  void aKeyThatIsTooLongBecomesAHash(String letter) {
    RateLimiter limiter = Sash.inMemory(Limit.slidingLog(1, Duration.ofHours(1)));
    for (int length = 200; length < 1100; length++) {
      String key = letter.repeat(length);
      String fitting = Keys.fitting(key);
      assertThat(limiter.tryAcquire(fitting).allowed()).isTrue();
      assertThat(fitting).matches(k -> k.equals(key) || k.matches("sha256:[A-Za-z0-9_-]{43}"));
    }
    assertThat(Keys.fitting(letter.repeat(1100))).startsWith("sha256:");
  }

  @Test
  void aKeyOfTheGreatestLengthStaysAsItIs() {
    assertThat(Keys.fitting("x".repeat(1024))).isEqualTo("x".repeat(1024));
    assertThat(Keys.fitting("é".repeat(512))).isEqualTo("é".repeat(512));
    assertThat(Keys.fitting("x".repeat(1025))).matches("sha256:[A-Za-z0-9_-]{43}");
  }
}
