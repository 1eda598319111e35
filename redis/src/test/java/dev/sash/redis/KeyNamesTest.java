package dev.sash.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sash.Limit;
import dev.sash.redis.KeyNames.Owner;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class KeyNamesTest {
  private static final KeyNames NAMES = new KeyNames("sash");
  private static final List<Limit> ONE = List.of(Limit.parse("10/1s"));

  /** What names are made of, what looks like it, and what encodings trip over. */
  private static final String[] PIECES = {
    "{",
    "}",
    "%",
    "%7B",
    "%7D",
    "%25",
    "%u",
    "%uD800",
    ":",
    "}:",
    ":{",
    "a",
    "api",
    "sash",
    "\r\n",
    "\u0000",
    "\u007F",
    "\u0085",
    " ",
    "*",
    "?",
    "[",
    "\\",
    "é",
    "e\u0301",
    "😀",
    "\uD800",
    "\uDC00",
    "\uD83D",
    "\uFFFD",
    "sliding-log",
    "1000000",
    "}:sliding-log:1000000"
  };

  @Test
  void readAsPrefixPolicyKeyAndKindOfLimit() {
    List<Limit> limits =
        List.of(
            Limit.parse("10/1s"),
            Limit.parse("10/1m cells=60"),
            Limit.parse("10/1h sliding-counter"),
            Limit.parse("10/1d fixed-window"),
            Limit.parse("10/1s token-bucket capacity=50"));
    assertThat(NAMES.of("api", "user-42", limits))
        .containsExactly(
            "sash:v2:{api:user-42}:sliding-log:1000000",
            "sash:v2:{api:user-42}:sliding-log:60000000:60",
            "sash:v2:{api:user-42}:sliding-counter:3600000000",
            "sash:v2:{api:user-42}:fixed-window:86400000000",
            "sash:v2:{api:user-42}:token-bucket:1000000");
  }

  @Test
  void limitsThatDifferOnlyInPermitsShareAName() {
    assertThat(name("api", "k", "10/1s token-bucket capacity=50"))
        .isEqualTo(name("api", "k", "20/1s token-bucket"))
        .isNotEqualTo(name("api", "k", "10/2s token-bucket"))
        .isNotEqualTo(name("api", "k", "10/1s"));
    assertThat(name("api", "k", "10/1s cells=5")).isNotEqualTo(name("api", "k", "10/1s cells=6"));
  }

  @Test
  void bracesOfAKeyAreEscaped() {
    assertThat(name("api", "{x}", "10/1s")).isEqualTo("sash:v2:{api:%7Bx%7D}:sliding-log:1000000");
    assertThat(name("api", "50%", "10/1s")).isEqualTo("sash:v2:{api:50%25}:sliding-log:1000000");
    assertThat(name("api", "a\r\n\u0000é😀", "10/1s"))
        .isEqualTo("sash:v2:{api:a%0D%0A%00é😀}:sliding-log:1000000");
    assertThat(name("api", "\uD800", "10/1s"))
        .isEqualTo("sash:v2:{api:%uD800}:sliding-log:1000000");
  }

  @Test
  void noTwoOwnersShareANameOrASlotThatTheyChose() {
    SplittableRandom random = new SplittableRandom(1);
    Map<String, Owner> owners = new HashMap<>();
    String[] policies = {"a", "api", "api.v2", "sash", "sliding-log", "1"};
    for (int i = 0; i < 200_000; i++) {
      StringBuilder key = new StringBuilder();
      for (int pieces = random.nextInt(1, 7); pieces > 0; pieces--) {
        key.append(PIECES[random.nextInt(PIECES.length)]);
      }
      Owner owner = new Owner(policies[random.nextInt(policies.length)], key.toString());
      String name = NAMES.of(owner.policy(), owner.key(), ONE)[0];
      String asRedisSeesIt = new String(name.getBytes(UTF_8), UTF_8);

      assertThat(asRedisSeesIt).as("every character has bytes").isEqualTo(name);
      assertThat(owners.getOrDefault(name, owner)).isEqualTo(owner);
      owners.put(name, owner);
      assertThat(NAMES.ownerOf(name)).contains(owner);
      assertThat(hashTag(name)).startsWith(owner.policy() + ":").doesNotContain("{", "}");
      assertThat(name).startsWith("sash:v2:{").endsWith("}:sliding-log:1000000");
    }
  }

  @Test
  void theLongestKeyHasAName() {
    for (String part : List.of("{", "\u0000", "é", "😀", "\uD800")) {
      String key = part.repeat(1024 / part.getBytes(UTF_8).length);
      assertThat(NAMES.ownerOf(name("api", key, "10/1s"))).contains(new Owner("api", key));
    }
  }

  @Test
  void allLimitsOfAKeyHaveOneHashTag() {
    List<Limit> limits = List.of(Limit.parse("1/1s"), Limit.parse("2/1m"), Limit.parse("3/1h"));
    assertThat(NAMES.of("api", "}{", limits))
        .allSatisfy(name -> assertThat(hashTag(name)).isEqualTo("api:%7D%7B"));
  }

  @Test
  void namesOfOthersHaveNoOwner() {
    for (String name :
        List.of(
            "",
            "sash",
            "sash:v2:{",
            "sash:v2:{api",
            "sash:v2:{api:k}",
            "sash:v2:{api:k}:",
            "sash:v2:{api:k}:sliding-log",
            "sash:v2:{api:k}:sliding-log:x",
            "sash:v2:{api:k}:unknown:1000000",
            "sash:v2:{api}:sliding-log:1000000",
            "sash:v2:{api:}:sliding-log:1000000",
            "sash:v2:{:k}:sliding-log:1000000",
            "other:{api:k}:sliding-log:1000000",
            "sash:v2:{a b:k}:sliding-log:1000000",
            "sash:v2:{api:{k}:sliding-log:1000000",
            "sash:v2:{api:k}}:sliding-log:1000000",
            "sash:v2:{api:%}:sliding-log:1000000",
            "sash:v2:{api:%2}:sliding-log:1000000",
            "sash:v2:{api:%41}:sliding-log:1000000",
            "sash:v2:{api:%7b}:sliding-log:1000000",
            "sash:v2:{api:%uD83D%uDE00}:sliding-log:1000000")) {
      assertThat(NAMES.ownerOf(name)).as(name).isEmpty();
    }
  }

  @Test
  void aPrefixThatCouldBeMisreadIsRefused() {
    for (String prefix : List.of("", "{", "a{b}", "a b", "a*", "é", "x".repeat(65))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new KeyNames(prefix))
          .withMessage("prefix must be 1 to 64 of A-Z a-z 0-9 . _ : -, was '%s'", prefix);
    }
    assertThat(new KeyNames("shop:eu").of("api", "k", ONE)[0]).startsWith("shop:eu:v2:{api:k}:");
  }

  @Test
  void aPatternFindsThePolicysKeysAndNoOthers() {
    LocalRedis redis = LocalRedis.get();
    KeyNames names = new KeyNames("pattern");
    String[] expected = {names.of("api", "*", ONE)[0], names.of("api", "a:b", ONE)[0]};
    for (String name : expected) {
      redis.call("SET", name, "");
    }
    redis.call("SET", names.of("api2", "k", ONE)[0], "");
    redis.call("SET", names.of("x", "{api:k", ONE)[0], "");

    List<?> found =
        (List<?>)
            redis.call("EVAL", "return redis.call('KEYS', ARGV[1])", "0", names.scanPattern("api"));
    assertThat(found.stream().map(name -> new String((byte[]) name, UTF_8)).toList())
        .containsExactlyInAnyOrder(expected);
  }

  private static String name(String policy, String key, String limit) {
    return NAMES.of(policy, key, List.of(Limit.parse(limit)))[0];
  }

  /** As the cluster specification says: between the first brace and the next closing one. */
  private static String hashTag(String name) {
    int open = name.indexOf('{');
    return name.substring(open + 1, name.indexOf('}', open));
  }
}
