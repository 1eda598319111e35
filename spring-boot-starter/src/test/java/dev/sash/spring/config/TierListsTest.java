package dev.sash.spring.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.key.Keys;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TierListsTest {
  private static TierProperties tier(List<String> keys, List<String> prefixes, List<String> api) {
    return new TierProperties(keys, prefixes, api);
  }

  private final TierLists lists =
      TierLists.of(
          Map.of(
              "pro",
              tier(List.of("user:ann"), List.of("user:staff-"), List.of("s3cret")),
              "boss",
              tier(List.of(), List.of("user:staff-boss"), List.of())));

  @Test
  void aKeyAnApiKeyOrAPrefixTellsTheTier() {
    assertThat(lists.tierOf("p", "user:ann")).isEqualTo("pro");
    assertThat(lists.tierOf("p", "user:anna")).isNull();
    assertThat(lists.tierOf("p", Keys.ofApiKey("s3cret"))).isEqualTo("pro");
    assertThat(lists.tierOf("p", "user:staff-7")).isEqualTo("pro");
    assertThat(lists.tierOf("p", "user:staff-boss-1")).as("the longest").isEqualTo("boss");
    assertThat(lists.tierOf("p", "ip:1.2.3.4")).isNull();
  }

  @Test
  void ofACombinationTheFirstPartThatIsListed() {
    assertThat(lists.tierOf("p", "(ip:1.2.3.4|user:ann)")).isEqualTo("pro");
    assertThat(lists.tierOf("p", "(user:staff-boss|user:ann)")).isEqualTo("boss");
    assertThat(lists.tierOf("p", "(header:x:a\\|user:ann|ip:1.2.3.4)"))
        .as("what a client writes is not a part")
        .isNull();
    for (String odd : List.of("(", "()", "(\\)", "(|)", "(user:ann", "\\")) {
      assertThat(lists.tierOf("p", odd)).as(odd).isNull();
    }
  }

  @Test
  void nobodyBelongsToTwoTiersAndNoSecretIsTold() {
    Map<String, TierProperties> tiers = new LinkedHashMap<>();
    tiers.put("a", tier(List.of(), List.of(), List.of("s3cret")));
    tiers.put("b", tier(List.of(), List.of(), List.of("s3cret")));
    assertThatThrownBy(() -> TierLists.of(tiers))
        .isInstanceOf(BadConfigurationException.class)
        .hasMessage("sash.tiers.b.api-keys: has an entry that the tier 'a' has too");
    assertThatThrownBy(() -> TierLists.of(Map.of("a", tier(List.of(" "), List.of(), List.of()))))
        .hasMessage("sash.tiers.a.keys: must not have an empty entry");
  }
}
